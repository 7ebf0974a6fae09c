/** The shadow root of one element has all styles, so the styles of page and chat do not affect each other. */
export const style = `
:host { all: initial; position: fixed; inset: auto; z-index: 2147483000; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.root {
  --bg: #ffffff; --text: #16211f; --muted: #566360; --line: #d5dddb; --other: #eef2f1; --field: #ffffff; --bad: #b3261e;
  color-scheme: light; color: var(--text);
  font: 400 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", "Noto Sans Devanagari", sans-serif;
}
.root.dark {
  --bg: #16211f; --text: #eaf0ee; --muted: #a4b3af; --line: #35433f; --other: #24312e; --field: #1d2a27; --bad: #ffb4ab;
  color-scheme: dark;
}
button { font: inherit; color: inherit; cursor: pointer; border: 0; background: none; padding: 0; border-radius: 8px; }
:focus-visible { outline: 3px solid #1a73e8; outline-offset: 2px; box-shadow: 0 0 0 2px #fff; }
.launcher {
  position: fixed; inset-block-end: 20px; inset-inline-end: 20px; inline-size: 58px; block-size: 58px; border-radius: 50%;
  background: var(--accent); color: var(--on-accent); display: grid; place-items: center; box-shadow: 0 4px 18px #0000004d;
}
.start .launcher, .start .panel { inset-inline: 20px auto; }
.launcher svg { inline-size: 28px; block-size: 28px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.badge {
  position: absolute; inset-block-start: -4px; inset-inline-end: -4px; min-inline-size: 22px; block-size: 22px; padding-inline: 5px;
  border-radius: 11px; background: #b3261e; color: #fff; font-size: 13px; line-height: 22px; font-weight: 600; text-align: center;
}
.panel {
  position: fixed; inset-block-end: 90px; inset-inline-end: 20px; inline-size: 380px; block-size: min(620px, calc(100dvh - 110px));
  max-inline-size: calc(100vw - 40px); background: var(--bg); border: 1px solid var(--line); border-radius: 16px; overflow: hidden;
  display: flex; flex-direction: column; box-shadow: 0 12px 48px #0000004d;
}
.head { display: flex; align-items: center; gap: 12px; padding: 12px 16px; background: var(--accent); color: var(--on-accent); }
.head h2 { flex: 1; margin: 0; font-size: 17px; line-height: 1.3; font-weight: 600; overflow-wrap: anywhere; }
.head h2:focus { outline: none; }
.avatar { inline-size: 36px; block-size: 36px; flex: none; border-radius: 50%; overflow: hidden; display: grid; place-items: center; border: 1.5px solid; font-size: 15px; line-height: 1; font-weight: 600; white-space: nowrap; }
.close { inline-size: 36px; block-size: 36px; display: grid; place-items: center; }
.close svg { inline-size: 20px; block-size: 20px; fill: none; stroke: currentColor; stroke-width: 2.5; stroke-linecap: round; }
.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 16px; }
.log ol { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 10px; }
.more { display: block; margin: 0 auto 12px; padding: 4px 12px; color: var(--muted); text-decoration: underline; font-size: 14px; }
.more + .bad:not(:empty) { display: block; margin-block-end: 12px; text-align: center; font-size: 14px; }
li.said { max-inline-size: 85%; align-self: flex-start; display: flex; flex-direction: column; align-items: flex-start; }
li.mine { align-self: flex-end; align-items: flex-end; }
.bubble { background: var(--other); border-radius: 14px; border-end-start-radius: 4px; padding: 8px 12px; overflow-wrap: anywhere; white-space: pre-wrap; max-inline-size: 100%; }
.mine .bubble { background: var(--accent); color: var(--on-accent); border-end-start-radius: 14px; border-end-end-radius: 4px; }
.bubble a { color: inherit; text-decoration: underline; }
.facts { font-size: 12px; color: var(--muted); margin-block-start: 2px; display: flex; gap: 6px; flex-wrap: wrap; }
.bad { color: var(--bad); }
.facts progress { inline-size: 90px; accent-color: var(--accent); }
li.line { align-self: center; font-size: 12px; color: var(--muted); text-align: center; }
.facts button { text-decoration: underline; }
details { font-size: 13px; margin-block-start: 4px; color: var(--muted); max-inline-size: 100%; }
summary { cursor: pointer; border-radius: 6px; }
details ul { margin: 6px 0 0; padding: 0; list-style: none; display: grid; gap: 8px; }
details b { display: block; color: var(--text); overflow-wrap: anywhere; }
blockquote { margin: 2px 0 0; padding-inline-start: 10px; border-inline-start: 3px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
.choices { display: flex; flex-wrap: wrap; gap: 8px; margin-block-start: 8px; }
.choices button { border: 1px solid var(--line); border-radius: 999px; padding: 6px 14px; background: var(--bg); text-align: start; overflow-wrap: anywhere; }
.choices button:hover { border-color: var(--text); }
.choices button[aria-pressed=true] { border-color: var(--text); background: var(--other); font-weight: 600; }
.thumbs { display: flex; gap: 4px; }
.thumbs button { padding: 1px 3px; }
.thumbs svg { display: block; inline-size: 16px; block-size: 16px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.thumbs button[aria-pressed=true] svg { fill: currentColor; fill-opacity: 0.35; stroke: var(--text); }
.thumbs button + button svg { transform: scaleY(-1); }
form.comment { padding: 8px 0 0; border: 0; align-items: center; }
form.comment textarea { block-size: auto; }
.plain { padding: 6px 12px; border: 1px solid var(--line); }
.dots { color: var(--muted); font-size: 14px; min-block-size: 0; padding-inline: 16px; }
.notice { padding: 8px 16px; font-size: 13px; background: var(--other); color: var(--text); border-block-start: 1px solid var(--line); }
form { display: flex; align-items: flex-end; gap: 8px; padding: 10px 12px; border-block-start: 1px solid var(--line); }
textarea {
  flex: 1; min-inline-size: 0; resize: none; font: inherit; font-size: 16px; color: inherit; background: var(--field); border: 1px solid #7c8a86;
  border-radius: 12px; padding: 8px 12px; block-size: 42px; max-block-size: 140px; margin: 0;
}
textarea::placeholder { color: var(--muted); opacity: 1; }
.send { inline-size: 42px; block-size: 42px; border-radius: 12px; background: var(--accent); color: var(--on-accent); display: grid; place-items: center; flex: none; }
.attach { inline-size: 36px; block-size: 42px; display: grid; place-items: center; color: var(--muted); }
.attach svg { inline-size: 22px; block-size: 22px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.bubble img { display: block; block-size: 180px; max-inline-size: 100%; object-fit: cover; border-radius: 8px; }
.send svg { inline-size: 20px; block-size: 20px; fill: currentColor; }
[dir=rtl] .send svg { transform: scaleX(-1); }
.hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.page .panel, .page.start .panel { inset: 0; inline-size: auto; block-size: auto; max-inline-size: none; border: 0; border-radius: 0; box-shadow: none; }
.page .log ol, .page form, .page .more { inline-size: 100%; max-inline-size: 760px; margin-inline: auto; }
@media (max-width: 480px) {
  .panel, .start .panel { inset: 0; inline-size: 100vw; max-inline-size: none; block-size: 100dvh; border: 0; border-radius: 0; }
  .open .launcher { display: none; }
}
@media (prefers-reduced-motion: no-preference) {
  .panel { animation: rise 0.16s ease-out; }
  .page .panel { animation: none; }
}
@keyframes rise { from { transform: translateY(10px); } }
@media (forced-colors: active) { .launcher, .send, .bubble, .choices button { border: 1px solid; } }
`;

/** Chooses black or white, whichever has more contrast to the color (WCAG relative luminance). */
export function readableOn(color: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}
