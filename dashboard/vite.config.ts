import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { DASHBOARD_BASE, DASHBOARD_ROUTES } from '../contract/dashboard/routes.ts';

/**
 * The browser needs method and path of each route, not its schemas: those, and the library that makes them, stay
 * behind. The table is read from the contract while building, so nothing is written twice. Every page loads it first, so
 * the beginning that most paths share is in it once, for `~`.
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

/** Where the server runs during development; `npm start` needs no second server. */
const SERVER = 'http://127.0.0.1:4000';
/** The Host header stays as the browser sent it: the server compares it with the Origin. */
const PROXIED = ['/dashboard/api', '/api', '/docs', '/inbound', '/chat'];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), contractRoutes()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The first that know light-dark() and nesting, which Mantine needs as well.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The content security policy lets nothing in that is not a file of ours.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    // Small modules of most pages are one file: each of them would be a request of its own.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'common', minShareCount: 21, maxModuleSize: 2_500 }],
        },
      },
    },
    // They ask to be passed on with what they are in; LICENSES-OF-PACKAGES.txt has those of the server.
    license: { fileName: 'licenses.md' },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: Object.fromEntries(PROXIED.map((path) => [path, { target: SERVER, changeOrigin: false }])),
  },
});
