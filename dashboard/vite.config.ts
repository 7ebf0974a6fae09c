import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compressFirstFiles } from './build/compress.ts';
import { languages, outputsOf } from './build/languages.ts';
import { DASHBOARD_BASE, DASHBOARD_ROUTES } from '../contract/dashboard/routes.ts';

/**
 * The browser needs the method and path of each route, but not its schemas. The build excludes the schemas and their
 * library. The table is read from the contract while building, so nothing is written twice. Every page loads this table
 * first, so it contains the common beginning of most paths only once, and `~` in its place.
 */
function contractRoutes(): Plugin {
  const id = 'virtual:dashboard-routes';
  const table = Object.entries(DASHBOARD_ROUTES).map(([name, { method, path }]) => [
    name,
    `${method} ${`${DASHBOARD_BASE}${path}`.replace(SHARED, '~')}`,
  ]);
  const code = `export const routes = ${JSON.stringify(Object.fromEntries(table))};
    for (const name in routes) routes[name] = routes[name].replace('~', '${SHARED}');`;
  return {
    name: 'contract-routes',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    load: (source) => (source === `\0${id}` ? code : null),
  };
}

const SHARED = `${DASHBOARD_BASE}/organizations/:org_id`;

/** The address of the server during development; `npm start` needs no second server. */
const SERVER = 'http://127.0.0.1:4000';
/** The Host header stays as the browser sent it, because the server compares it with the Origin. */
const PROXIED = ['/dashboard/api', '/api', '/docs', '/inbound', '/chat'];

/**
 * The functions of the contract that only build a schema. The browser needs few schemas, so the build excludes all
 * other schemas.
 */
const SCHEMAS = 'Type Nullable nullable Id idPattern Page PageQuery Whole Minutes noReplyOf headerText Base64Url'.split(
  ' ',
);

const MANTINE = '@mantine/core/esm/components';
const INPUTS = 'Checkbox|Input|InputBase|TextInput|Anchor';
const OF_LISTS =
  'live-state|moment|use-record-names|no-value|page|page-header|tip|use-shortcuts|channels/kind-names|conversations/status-texts|end-users/person-name';
/** The list of conversations has its own rows, and uses none of these modules of tables. */
const OF_TABLES = 'data-list|paged-list|list-page|filter-bar|selection-bar|view-menu';
/**
 * The list of conversations is the frame of an open conversation, so an open conversation uses the listed modules too.
 */
const OF_CONVERSATIONS =
  'conversations-page|conversations.module|inbox-texts|open-next|rating-texts|snooze-times|texts|use-list-keys';

/**
 * Every file is a request, so one file has the modules that are used together. The modules in `$initial` are those that
 * every page loads first. Dialogs and their parts are in other files, because they load later.
 */
const CHUNKS = [
  { name: 'vendor', priority: 6, tags: ['$initial' as const], test: /node_modules|rolldown.runtime/ },
  {
    name: 'front',
    priority: 3,
    test: /src.(?:parts.(?:sign-in|passkey|latin)|pages.sign-in)|PasswordInput|simplewebauthn/,
  },
  { name: 'index', priority: 5, tags: ['$initial' as const] },
  {
    name: 'inputs',
    priority: 4,
    test: new RegExp(
      `${MANTINE}/(?:${INPUTS})/|InlineInput|core/utils/|get-parsed-combobox-data|get-options-lockup|get-style-object|src/parts/use-(?:checked-form|focus)`,
    ),
  },
  {
    name: 'lists',
    priority: 2,
    minShareCount: 2,
    test: new RegExp(
      `src/list/(?!bulk-act|${OF_TABLES})|src/parts/(?:${OF_LISTS})[.]|Icon(?:X|AdjustmentsHorizontal)[.]mjs|use-selection|use-debounced-callback|use-callback-ref`,
    ),
  },
  { name: 'tables', priority: 1, minShareCount: 2, test: new RegExp(`src/list/(?:${OF_TABLES})`) },
  {
    name: 'conversations-page',
    priority: 1,
    test: new RegExp(`src/pages/conversations/(?:${OF_CONVERSATIONS})[.]|src/parts/shortcuts[.]`),
  },
  { name: 'contract', minShareCount: 5, test: /contract[/]/ },
  {
    name: 'parts',
    minShareCount: 10,
    maxModuleSize: 2_500,
    test: /@tabler|src[/]parts[/](?!agents|api-keys|latin|sign-in|.*dialog)/,
  },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), contractRoutes(), languages(), compressFirstFiles()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The targets are the first browser versions with light-dark() and nesting, which Mantine also needs.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The content security policy permits only files of this server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    cssCodeSplit: false,
    rolldownOptions: {
      output: outputsOf({ groups: CHUNKS }),
      treeshake: { manualPureFunctions: SCHEMAS, propertyReadSideEffects: false },
    },
    // The licenses of bundled packages must be distributed with the build. The file LICENSES-OF-PACKAGES.txt has the
    // licenses of the server's packages.
    license: { fileName: 'licenses.md' },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: Object.fromEntries(PROXIED.map((path) => [path, { target: SERVER, changeOrigin: false }])),
  },
});
