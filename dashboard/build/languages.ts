import type { Plugin, Rolldown } from 'vite';

/**
 * Builds the files of the dashboard once per language. `defineTexts(en, ar)` becomes `defineTexts(__ARABIC__ ? ar :
 * en)`, and each output replaces __ARABIC__ with a constant, so that the minifier removes the texts of the other
 * language. The English and the Arabic output share the files that contain no texts. The script public/preferences.js
 * starts the files of the reader's language.
 */
const LANGUAGES = ['en', 'ar'] as const;
type Language = (typeof LANGUAGES)[number];

/** The shared chunks of both languages contain only packages and no texts. */
const SHARED = /^(?:rolldown-runtime|vendor)$/;

export const outputsOf = (codeSplitting: Rolldown.OutputOptions['codeSplitting']): Rolldown.OutputOptions[] =>
  LANGUAGES.map((language) => ({
    entryFileNames: `assets/${language}/[name]-[hash].js`,
    chunkFileNames: ({ name }) => `assets/${SHARED.test(name) ? '' : `${language}/`}[name]-[hash].js`,
    assetFileNames: 'assets/[name]-[hash][extname]',
    codeSplitting,
  }));

export function languages(): Plugin {
  const files: Partial<Record<Language, readonly string[]>> = {};
  return {
    name: 'languages',
    apply: 'build',
    enforce: 'post',
    transform(code, id) {
      if (!code.includes('defineTexts(') || id.endsWith('/language/texts.tsx')) return null;
      return { code: chooseTexts(code, this.parse(code)), map: null };
    },
    renderChunk: (code, _chunk, { entryFileNames }) => ({
      code: code.replaceAll('__ARABIC__', String(languageOf(String(entryFileNames)) === 'ar')),
      map: null,
    }),
    transformIndexHtml: {
      order: 'post',
      handler(html, { chunk }) {
        const { fileName, imports } = chunk!;
        files[languageOf(fileName)] = [fileName, ...imports];
        // The page of the last build replaces the pages of the other builds.
        return files.en && files.ar ? startInLanguage(html, files as Record<Language, readonly string[]>) : html;
      },
    },
  };
}

const languageOf = (file: string): Language => (file.startsWith('assets/ar/') ? 'ar' : 'en');

/** The page loads the shared files, and public/preferences.js adds the files of one language. */
function startInLanguage(html: string, files: Record<Language, readonly string[]>): string {
  const own = LANGUAGES.map((language) => {
    const list = files[language].filter((file) => file.startsWith(`assets/${language}/`));
    return ` data-${language}="${list.map((file) => `/${file}`).join(' ')}"`;
  });
  return html
    .replace(/ *<(?:script type="module"|link rel="modulepreload")[^>]* (?:src|href)="\/assets\/(?:en|ar)\/.*\n/g, '')
    .replace('src="/preferences.js"', `src="/preferences.js"${own.join('')}`);
}

type Node = { type: string; start: number; end: number; callee?: Node & { name?: string }; arguments?: Node[] };

/** Rewrites the calls of defineTexts, from the last to the first. */
function chooseTexts(code: string, program: unknown): string {
  const calls: Node[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    if (node.type === 'CallExpression' && node.callee?.name === 'defineTexts') calls.push(node);
    Object.values(node).forEach(visit);
  };
  visit(program);
  return calls
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { arguments: [en, ar] = [] }) => {
      const [english, arabic] = [text.slice(en!.start, en!.end), text.slice(ar!.start, ar!.end)];
      return `${text.slice(0, en!.start)}__ARABIC__ ? ${arabic} : ${english}${text.slice(ar!.end)}`;
    }, code);
}
