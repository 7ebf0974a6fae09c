import { readFileSync } from 'node:fs';
import { isProblemCode } from '../../../contract/problems.ts';
import { ownFile } from '../../kernel/own-files.ts';
import { code, escapeHtml } from './html.ts';
import type { Content } from './sections.ts';

/** The guides, in the order in which a newcomer needs them. Each guide is a file in the folder docs/. */
export const GUIDES = {
  sdk: 'Use the client library',
  documents: 'Bring your documents',
  tools: 'Give your agent tools',
  'your-code': 'Answer with your own code',
  'end-users': 'Keep end users in sync',
  sending: 'Send on channels, and receive',
  campaigns: 'Run a campaign',
  'channel-kinds': 'Connect each kind of channel',
  'web-chat': 'Put the web chat on a site',
  streaming: 'Show an answer while it is written',
  openai: 'Use clients of OpenAI',
  costs: 'See and limit costs',
  results: 'Get values from a conversation',
  ratings: 'Ask people for a rating',
  versions: 'Try a version with a part of your end users',
  events: 'Receive events',
  'access-tokens': 'Access tokens for programs',
} as const;
type GuideName = keyof typeof GUIDES;

export const isGuide = (name: string): name is GuideName => Object.hasOwn(GUIDES, name);
export const GUIDE_NAMES = Object.keys(GUIDES) as GuideName[];

/** The default address of the program. A guide shows the address of this server in place of the default address. */
const DEFAULT_URL = 'http://127.0.0.1:4000';

/** Renders the text from the repository, with this server's address and with codes of problems as links. */
export async function guidePage(name: GuideName, baseUrl: string): Promise<Content> {
  const markdown = await createMarkdown();
  const text = readFileSync(ownFile(`docs/${name}.md`), 'utf8');
  return {
    title: GUIDES[name],
    kind: 'Guide',
    main: markdown.parse(text.replaceAll(DEFAULT_URL, baseUrl), { async: false }),
    outline: true,
  };
}

/** The first requested guide loads the library. */
async function createMarkdown() {
  const { Marked } = await import('marked');
  return new Marked({
    renderer: {
      code: ({ text }) => code(text),
      codespan: ({ text }) =>
        isProblemCode(text)
          ? `<a href="/docs/problems/${text}"><code>${text}</code></a>`
          : `<code>${escapeHtml(text)}</code>`,
      // The anchors are the same as in the repository, so that links within and between the files work.
      heading({ depth, text, tokens }) {
        const id = text
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-');
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      html: ({ text }) => escapeHtml(text),
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href);
        return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      table(token) {
        const cells = (row: typeof token.header, tag: string): string =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        return `<div class="wide"><table>${cells(token.header, 'th')}${token.rows.map((row) => cells(row, 'td')).join('')}</table></div>`;
      },
    },
  });
}

/** The link target on a page. Null: the file exists only in the repository. */
function targetOf(href: string): string | null {
  if (/^(https?:|\/|#)/.test(href)) return href;
  const [file = '', hash] = href.split('#');
  const name = file.replace(/\.md$/, '');
  return isGuide(name) ? `/docs/guides/${name}${hash === undefined ? '' : `#${hash}`}` : null;
}
