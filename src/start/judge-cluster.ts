import type { ClusterReport } from '../store/cells/cluster-report.ts';
import type { Finding } from './judge-server.ts';

/** Settings without which cells do not work, or a node is unavailable for longer than necessary. */
const NEEDED: Record<
  string,
  { is: (value: string) => boolean; write: string; reason: string; status: 'warn' | 'fail' }
> = {
  'citus.enable_unsafe_triggers': {
    is: (value) => value === 'on',
    write: 'citus.enable_unsafe_triggers = on',
    reason: 'cells have triggers',
    status: 'fail',
  },
  wal_level: {
    is: (value) => value === 'logical',
    write: 'wal_level = logical',
    reason: 'cells are moved by logical replication',
    status: 'warn',
  },
  max_prepared_transactions: {
    is: (value) => Number(value) > 0,
    write: 'max_prepared_transactions = 400',
    reason: 'changes on several nodes are committed in two phases',
    status: 'fail',
  },
  recovery_init_sync_method: {
    is: (value) => value === 'syncfs',
    write: 'recovery_init_sync_method = syncfs',
    reason: 'a killed node then starts in seconds, otherwise in up to a minute',
    status: 'warn',
  },
};

/** Lists the problems that follow from the state of a Citus cluster. */
export const judgeCluster = (report: ClusterReport): Finding[] => [
  judgeNodes(report),
  judgeSettings(report),
  judgeCells(report),
];

function judgeNodes({ nodes }: ClusterReport): Finding {
  const name = 'cluster nodes';
  const away = nodes.filter(({ settings, isActive }) => settings === null || !isActive).map(({ node }) => node);
  if (away.length > 0) {
    return {
      name,
      status: 'fail',
      detail: `Nodes that do not answer: ${away.join(', ')}. Calls to organizations in their cells get 503.`,
      fix: 'Start these servers, and check that the coordinator reaches them.',
    };
  }
  const versions = (setting: string): string[] => [...new Set(nodes.map(({ settings }) => settings![setting]!))];
  const detail = `${nodes.length} nodes, Citus ${versions('citus.version').join(' and ')}, PostgreSQL ${versions('server_version').join(' and ')}.`;
  if (versions('citus.version').length === 1) return { name, status: 'ok', detail };
  return { name, status: 'warn', detail, fix: 'Install the same version of Citus on all nodes.' };
}

function judgeSettings({ nodes }: ClusterReport): Finding {
  const name = 'cluster settings';
  const missing = nodes.flatMap(({ node, settings }) =>
    settings === null
      ? []
      : Object.entries(NEEDED)
          .filter(([setting, { is }]) => !is(settings[setting] ?? ''))
          .map(([, rule]) => ({ node, ...rule })),
  );
  if (missing.length === 0) return { name, status: 'ok', detail: 'Each node has the settings that cells need.' };
  return {
    name,
    status: missing.some(({ status }) => status === 'fail') ? 'fail' : 'warn',
    detail: missing.map(({ node, write, reason }) => `${node} lacks ${write} (${reason}).`).join(' '),
    fix: 'Write these settings to postgresql.conf of each node, and restart the node.',
  };
}

function judgeCells({ cells }: ClusterReport): Finding {
  const name = 'cells';
  const misplaced = cells.filter(({ node, isReady }) => node === null || !isReady).map(({ cell }) => cell);
  if (misplaced.length === 0) {
    return { name, status: 'ok', detail: `${cells.length} cells, each on a node.` };
  }
  return {
    name,
    status: 'fail',
    detail: `Cells that are not complete or not on a node: ${misplaced.join(', ')}.`,
    fix: 'Run "./parley migrate", then "./parley cells add 1", which completes the cells.',
  };
}
