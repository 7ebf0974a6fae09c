import path from 'node:path';

const BELOW_APP = [
  'contract',
  'kernel',
  'config',
  'store',
  'access',
  'engine',
  'channels',
  'answering',
  'features',
  'http',
  'worker',
];

/**
 * Enforces the allowed imports between rooms in docs/architecture.md as a lint rule (a plugin of oxlint). Imports run
 * downward only, so each room can be read and changed with knowledge of only the rooms below it. Tests may import
 * anything. test/boundaries.test.ts plants one violation of each kind and expects the linter to find every violation.
 */
const MAY_IMPORT = {
  contract: [],
  kernel: ['contract'],
  config: ['contract', 'kernel'],
  store: ['contract', 'kernel'],
  access: ['contract', 'kernel', 'store'],
  engine: ['contract', 'kernel'],
  channels: ['contract', 'kernel'],
  answering: ['contract', 'kernel', 'store', 'engine', 'channels'],
  features: ['contract', 'kernel', 'store', 'access', 'engine', 'channels', 'answering'],
  http: ['contract', 'kernel', 'access', 'features'],
  worker: ['contract', 'kernel', 'store', 'engine', 'channels', 'answering', 'features'],
  app: BELOW_APP,
  cli: ['contract', 'kernel'],
  dashboard: ['contract'],
  widget: ['contract'],
  sdk: [],
  bench: [...BELOW_APP, 'app', 'test', 'cli', 'cluster'],
};

/**
 * Imports of types are allowed here, because types have no effect at run time. The engine declares its interface and
 * the configuration reader declares its type, and other rooms may import these types.
 */
const MAY_IMPORT_TYPES = {
  store: ['engine'],
  http: ['config'],
  worker: ['config', 'access'],
};

const WHY = {
  contract: 'the contract imports nothing of ours: server, dashboard and command line share it',
  kernel: 'the kernel imports nothing of ours but the contract',
  config: 'configuration is read before anything else exists',
  store: 'the store knows the database and nothing above it',
  access: 'access decides on facts from the store and knows no feature and no HTTP',
  engine: 'the engine is a leaf: a conversation in, the next turn out',
  channels: 'channels are leaves',
  answering: 'a turn is made without features: worker and playground make it with the same parts',
  features:
    'a feature has the rules and knows neither HTTP nor the loops that run it; two features share what is below them',
  http: 'HTTP is thin: it calls a feature and never the store',
  worker: 'the worker runs loops, which call what is below them; it knows no HTTP',
  app: 'the connected rooms do not know the commands that start them',
  cli: 'the command line talks HTTP and shares only contract and kernel',
  dashboard: 'the browser shares only the contract',
  widget: 'the browser shares only the contract',
  sdk: 'the client library is a package of its own',
  bench: 'measurements use what they measure',
};

/** Packages that only one room may import. The name of a package includes everything below it. */
const PACKAGES = [
  { names: ['pg', 'drizzle-orm'], rooms: ['store', 'bench'], why: 'only the store knows SQL' },
  {
    names: ['undici'],
    rooms: ['kernel', 'bench'],
    why: 'only kernel/egress opens sockets to addresses that users give',
  },
  { names: ['@redis/client'], rooms: ['access'], why: 'only access counts in Redis' },
  { names: ['fastify', '@fastify'], rooms: ['http', 'app', 'bench'], why: 'only http knows the web framework' },
];

const ROOT = path.resolve(import.meta.dirname, '..');

/** Returns the room of a file below the root, such as http for `src/http/api/x.ts` and cli for `cli/x.ts`. */
function roomOf(file) {
  const [first, second] = path.relative(ROOT, file).split(path.sep);
  if (first !== 'src') return first;
  return second === undefined || second.endsWith('.ts') ? 'start' : second;
}

const featureOf = (file) => path.relative(path.join(ROOT, 'src', 'features'), file).split(path.sep)[0];

/** Returns the page of a file of the dashboard, such as agents for `dashboard/src/pages/agents/editor/x.tsx`. */
function pageOf(file) {
  const [page, rest] = path.relative(path.join(ROOT, 'dashboard', 'src', 'pages'), file).split(path.sep);
  return page === '..' || rest === undefined ? null : page;
}

/** The client library has this hook, which only React apps import. */
const HOOK = path.join('sdk', 'src', 'react.ts');
const ROUTES = path.join(ROOT, 'dashboard', 'src', 'routes.tsx');
const PAGE_FAULT =
  'A page is imported only by dashboard/src/routes.tsx and by itself: what two pages share is in dashboard/src/parts.';

/** Returns the fault of an import of `source` in `file`, or null. */
function faultOf(file, source, isType) {
  const room = roomOf(file);
  if (source === 'node:process' || source === 'process') {
    return room === 'config' || !(room in MAY_IMPORT) || room === 'cli' || room === 'bench'
      ? null
      : 'Only src/config reads the environment: use the global process for the rest.';
  }
  if (source === 'react' && file.endsWith(HOOK)) return null;
  if (!source.startsWith('.')) return packageFault(room, source);
  const target = path.resolve(path.dirname(file), source);
  const to = roomOf(target);
  if (room === 'features' && to === 'features' && featureOf(target) !== featureOf(file)) {
    return 'A feature never imports another feature: what two share is a question about data (store) or about who (access).';
  }
  if (room === 'dashboard' && pageOf(target) !== null && pageOf(target) !== pageOf(file) && file !== ROUTES) {
    return PAGE_FAULT;
  }
  const allowed = MAY_IMPORT[room];
  if (allowed === undefined || to === room || to === 'package.json') return null;
  if (allowed.includes(to) || (isType && MAY_IMPORT_TYPES[room]?.includes(to))) return null;
  return `${room} may not import ${to}: ${WHY[room]}. It may import ${allowed.join(', ') || (room === 'contract' ? 'typebox alone' : 'nothing')}.`;
}

function packageFault(room, source) {
  if (room === 'contract') {
    return source === 'typebox' || source.startsWith('typebox/')
      ? null
      : 'The contract imports typebox alone: the browser loads it too.';
  }
  if (room === 'sdk') return 'The client library imports no package: its users would install it too.';
  if (!(room in MAY_IMPORT) && room !== 'app') return null;
  const owned = PACKAGES.find(({ names }) => names.some((name) => source === name || source.startsWith(`${name}/`)));
  return !owned || owned.rooms.includes(room) ? null : `${room} may not import ${source}: ${owned.why}.`;
}

const isTest = (file) => file.endsWith('.test.ts') || file.includes(`${path.sep}sdk${path.sep}test${path.sep}`);

const direction = {
  create(context) {
    const file = context.filename;
    if (isTest(file)) return {};
    const look = (node) => {
      if (typeof node.source?.value !== 'string') return;
      const specifiers = node.specifiers ?? [];
      const isType =
        (node.importKind ?? node.exportKind) === 'type' ||
        (specifiers.length > 0 && specifiers.every((one) => (one.importKind ?? one.exportKind) === 'type'));
      const fault = faultOf(file, node.source.value, isType);
      if (fault) context.report({ node: node.source, message: fault });
    };
    return {
      ImportDeclaration: look,
      ExportNamedDeclaration: look,
      ExportAllDeclaration: look,
      ImportExpression: look,
    };
  },
};

/** The global fetch follows redirects and can access private addresses, which kernel/egress prevents. */
const guardedFetch = {
  create(context) {
    const file = context.filename;
    const room = roomOf(file);
    if (isTest(file) || !file.includes(`${path.sep}src${path.sep}`) || room === 'kernel') return {};
    return {
      CallExpression(node) {
        const callee = node.callee;
        const isGlobal = callee.type === 'Identifier' && callee.name === 'fetch';
        const isMember =
          callee.type === 'MemberExpression' && callee.object.name === 'globalThis' && callee.property.name === 'fetch';
        if (isGlobal || isMember) {
          context.report({ node: callee, message: 'Only kernel/egress calls other servers: pass its fetch in.' });
        }
      },
    };
  },
};

// oxlint loads plugins by their default export.
export default { meta: { name: 'parley' }, rules: { 'import-direction': direction, 'guarded-fetch': guardedFetch } };
