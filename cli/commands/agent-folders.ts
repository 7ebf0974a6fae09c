import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { AgentRecord } from '../../contract/dashboard/agents.ts';
import type { TriggerRecord } from '../../contract/dashboard/triggers.ts';
import { type AgentFolder, readFolder, type TriggerFile, writeFolder } from '../agent-folder.ts';
import { Failure } from '../failure.ts';
import { examples, type Cli, setAction } from '../command-action.ts';
import { printable } from '../table.ts';

type Head = { id: string; name: string; source_id: string | null };
/** A difference between folder and server, and the call that updates the server. */
type Change = { what: string; live: boolean; apply: () => Promise<unknown> };

/** Adds the commands `agents pull` and `agents push`. */
export function addAgentFolders(agents: Command): void {
  const pull = agents
    .command('pull')
    .summary('write an agent into a folder')
    .description(
      'Writes the draft of an agent, its tests, its triggers and its documents into a folder. The folder does not contain pages of sites, ids and secrets.',
    )
    .argument('<agent-id>')
    .argument('<folder>');
  setAction(pull, async (cli, [id, folder]) => {
    const { found } = await readServer(cli, id!);
    await writeFolder(folder!, found);
    cli.out.record({ agent_id: id, folder, documents: found.documents.size, cases: found.suite.cases.length });
  });

  const push = agents
    .command('push')
    .summary('make an agent what its folder says')
    .description(
      'Updates the draft of an agent and its tests from a folder. With --live, the command also updates documents and triggers, which end users see immediately. Nothing is published: To publish the draft, use "agents publish".',
    )
    .argument('<agent-id>')
    .argument('<folder>')
    .option('--live', 'also documents and triggers')
    .option('--dry-run', 'show the changes, and change nothing');
  setAction<{ live?: boolean; dryRun?: boolean }>(push, async (cli, [id, at], { live = false, dryRun = false }) => {
    const wanted = await readFolder(at!);
    const changes = (await changesOf(cli, id!, wanted)).filter((one) => live || !one.live);
    for (const { what, apply } of changes) {
      if (!dryRun) await apply();
      cli.out.line({ change: what, done: !dryRun }, () => printable(what));
    }
    if (changes.length === 0) cli.out.hint('Nothing to change.');
  });
  examples(push, 'agents push agent_01jd… ./agent --dry-run', 'agents push agent_01jd… ./agent --live');
}

type Server = { found: AgentFolder; agent: AgentRecord; documents: Map<string, Head>; triggers: TriggerRecord[] };

async function readServer({ api }: Cli, id: string): Promise<Server> {
  const ids = { agent_id: id };
  const agent = await api.call('readAgent', { ids });
  const suite = await api.call('readSuite', { ids });
  const query = { agent_id: id };
  const triggers = (await api.list('listTriggers', { all: true }, { query })).data as TriggerRecord[];
  const heads = (await api.list('listDocuments', { all: true }, { ids })).data as Head[];
  const documents = new Map<string, Head>();
  for (const head of heads.filter((one) => one.source_id === null)) {
    if (documents.has(head.name))
      throw new Failure('usage_invalid', `Two documents have the name "${head.name}": rename or remove one first.`);
    documents.set(head.name, head);
  }
  const texts = new Map<string, string>();
  for (const [name, head] of [...documents].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    texts.set(name, (await api.call('readDocument', { ids: { ...ids, document_id: head.id } })).text);
  const found = {
    name: agent.name,
    definition: agent.definition,
    suite: { cases: suite.cases, required: suite.required },
    triggers: triggers.map(asFile).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    documents: texts,
  };
  return { found, agent, documents, triggers };
}

/** The channel of a trigger is an ID of one server, so the file does not contain the channel. */
const asFile = ({ name, enabled, variables }: TriggerRecord): TriggerFile => ({ name, enabled, variables });

async function changesOf(cli: Cli, id: string, wanted: AgentFolder): Promise<Change[]> {
  const server = await readServer(cli, id);
  return [
    ...draftChanges(cli, id, wanted, server.found),
    ...documentChanges(cli, id, wanted, server),
    ...triggerChanges(cli, id, wanted, server),
  ];
}

function draftChanges({ api }: Cli, id: string, wanted: AgentFolder, found: AgentFolder): Change[] {
  const changes: Change[] = [];
  const ids = { agent_id: id };
  const names = new Set([...Object.keys(wanted.definition), ...Object.keys(found.definition)]);
  const parts = [...names].filter((name) => {
    const [one, other] = [wanted.definition, found.definition].map((all) => (all as Record<string, unknown>)[name]);
    return !isDeepStrictEqual(one, other);
  });
  if (parts.length > 0) {
    const body = { definition: wanted.definition, publish: false };
    const apply = () => api.call('updateAgent', { ids, body });
    changes.push({ what: `draft: ${parts.toSorted().join(', ')}`, live: false, apply });
  }
  if (!isDeepStrictEqual(wanted.suite.cases, found.suite.cases)) {
    // The command `agents suite set` decides whether publishing requires the tests.
    const apply = () => api.call('setSuite', { ids, body: { cases: wanted.suite.cases } });
    changes.push({ what: `tests: ${wanted.suite.cases.length} cases`, live: false, apply });
  }
  return changes;
}

function documentChanges({ api }: Cli, id: string, wanted: AgentFolder, { found, documents }: Server): Change[] {
  const ids = { agent_id: id };
  const add = (name: string, text: string) => api.call('createDocument', { ids, body: { name, text } });
  const remove = (name: string) =>
    api.call('deleteDocument', { ids: { ...ids, document_id: documents.get(name)!.id } });
  const changes: Change[] = [];
  for (const [name, text] of wanted.documents) {
    const before = found.documents.get(name);
    if (before === undefined) changes.push({ what: `+ document ${name}`, live: true, apply: () => add(name, text) });
    else if (before !== text) {
      // The new document is added first, so the agent always has the old or the new document.
      const apply = async () => {
        await add(name, text);
        await remove(name);
      };
      changes.push({ what: `~ document ${name}`, live: true, apply });
    }
  }
  for (const name of found.documents.keys())
    if (!wanted.documents.has(name))
      changes.push({ what: `- document ${name}`, live: true, apply: () => remove(name) });
  return changes;
}

/** A trigger that is missing in the folder is not deleted, because backends may call it. */
function triggerChanges({ api }: Cli, id: string, wanted: AgentFolder, { triggers }: Server): Change[] {
  return wanted.triggers.flatMap((one): Change[] => {
    const before = triggers.find(({ name }) => name === one.name);
    if (!before) {
      const apply = () => api.call('createTrigger', { body: { agent_id: id, ...one } });
      return [{ what: `+ trigger ${one.name}`, live: true, apply }];
    }
    if (isDeepStrictEqual({ ...one }, asFile(before))) return [];
    const apply = () => api.call('updateTrigger', { ids: { trigger_id: before.id }, body: { ...one } });
    return [{ what: `~ trigger ${one.name}`, live: true, apply }];
  });
}
