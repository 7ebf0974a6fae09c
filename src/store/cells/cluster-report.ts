import type pg from 'pg';
import { isCitus, PLACED_SHARDS } from './citus.ts';
import { NodeError, runOn } from './run-on-node.ts';

/** Facts about a Citus cluster, read for the operator. The report only reads, and changes nothing in the cluster. */
export type ClusterReport = {
  nodes: {
    node: string;
    isActive: boolean;
    /** Null: the node does not answer. */
    settings: Readonly<Record<string, string>> | null;
  }[];
  cells: { cell: string; isReady: boolean; node: string | null }[];
};

const SETTINGS = [
  'server_version',
  'wal_level',
  'max_connections',
  'max_prepared_transactions',
  'recovery_init_sync_method',
  'citus.enable_unsafe_triggers',
  'citus.version',
];

/** Null: the database is not on Citus. */
export async function readClusterReport(client: pg.ClientBase): Promise<ClusterReport | null> {
  if (!(await isCitus(client))) return null;
  const nodes = await client.query<{ host: string; port: number; active: boolean }>(
    `SELECT nodename AS host, nodeport AS port, isactive AS active FROM pg_dist_node WHERE noderole = 'primary' ORDER BY nodeid`,
  );
  const cells = await client.query<{ cell: string; isReady: boolean; node: string | null }>(
    `SELECT k.name AS cell, k.ready AS "isReady",
       (SELECT w.nodename || ':' || w.nodeport FROM ${PLACED_SHARDS} WHERE n.nspname = k.name LIMIT 1) AS node
     FROM public.cell k ORDER BY k.created_at, k.name`,
  );
  const report: ClusterReport = { nodes: [], cells: cells.rows };
  for (const { host, port, active } of nodes.rows)
    report.nodes.push({ node: `${host}:${port}`, isActive: active, settings: await settingsOf(client, host, port) });
  return report;
}

async function settingsOf(client: pg.ClientBase, host: string, port: number): Promise<Record<string, string> | null> {
  const names = SETTINGS.map((name) => `'${name}'`).join(', ');
  const command = `SELECT json_object_agg(name, CASE name WHEN 'citus.version' THEN (SELECT extversion FROM pg_extension WHERE extname = 'citus')
    ELSE current_setting(name, true) END) FROM unnest(ARRAY[${names}]) name`;
  const result = await runOn(client, { host, port }, command).catch((error: unknown) => {
    if (error instanceof NodeError) return null;
    throw error;
  });
  return result === null ? null : (JSON.parse(result) as Record<string, string>);
}
