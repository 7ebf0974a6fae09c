import type { Tool } from '../../../contract/agents.ts';
import type { TurnRequest } from '../../engine/provider.ts';
import type { FindChangedTools } from '../../engine/providers/run-tool.ts';
import { recordSeenTools } from '../../store/agents/mcp-changes.ts';
import { askMcpServer, type AskMcpServerDeps } from './ask-mcp-server.ts';
import { compareTools } from './compare-tools.ts';

/**
 * Finds out which tools of MCP servers still equal the approved tools. A turn needs the result before it offers the
 * tools, and must not wait for a stranger's server. Each node caches the list of a server for a minute. While a new
 * list is loaded, the expired list is used. A server that has not answered yet changes nothing: the model receives the
 * approved tools, and each call checks again (call-mcp-tool.ts).
 */
/** The organization, the agent, the server and its address. */
type Place = [string, string, string, string];
type Asking = Pick<TurnRequest, 'signal' | 'turn_id'>;

type Known = {
  /** The time of the last list in milliseconds, or 0 if no list was read. */
  at: number;
  /** The hash of each tool. Null: the server has never answered. */
  pins: ReadonlyMap<string, string> | null;
  reading: Promise<void> | null;
};

const FRESH_MS = 60_000;
/** A list that contradicts the definition is loaded again, unless the list is younger than this. */
const JUST_READ_MS = 2_000;
/** The longest time that the first turn on a node waits for a list. */
const WAIT_MS = 2_000;
const MAX_KNOWN = 500;

export function createMcpWatch(deps: AskMcpServerDeps): FindChangedTools {
  const all = new Map<string, Known>();

  function knownOf(place: string[]): Known {
    const key = JSON.stringify(place);
    const known = all.get(key) ?? { at: 0, pins: null, reading: null };
    // Moves the entry to the end, because the last entry is the most recently used.
    all.delete(key);
    all.set(key, known);
    if (all.size > MAX_KNOWN) all.delete(all.keys().next().value!);
    return known;
  }

  /**
   * `approved`: the approved tools of the published definition. The dashboard shows the changes of approved tools.
   * Null: the call tests a draft, whose changes are not stored.
   */
  async function readNow(known: Known, place: Place, approved: readonly Tool[] | null): Promise<void> {
    try {
      const [orgId, agentId, server, url] = place;
      const { error, tools } = await askMcpServer(deps, orgId, agentId, { server, url });
      if (error === null) known.pins = new Map(tools.map(({ name, pin }) => [name, pin]));
      known.at = Date.now();
      if (error === null && approved) await recordSeenTools(deps.db, orgId, agentId, compareTools(approved, tools));
    } catch {
      // If the database is not available, the next turn tries again.
    } finally {
      known.reading = null;
    }
  }

  const read = (known: Known, place: Place, approved: readonly Tool[] | null): Promise<void> =>
    (known.reading ??= readNow(known, place, approved));

  async function changedOf(tools: Tool[], place: Place, { signal, turn_id: turnId }: Asking) {
    const approved = turnId === undefined ? null : tools;
    const known = knownOf(place);
    const changed = (): Tool[] => tools.filter(({ mcp }) => known.pins && known.pins.get(mcp!.tool) !== mcp!.pin);
    const age = Date.now() - known.at;
    if (age > FRESH_MS) void read(known, place, approved);
    const isDoubtful = changed().length > 0 && age > JUST_READ_MS;
    if (known.at === 0 || isDoubtful) await atMost(WAIT_MS, read(known, place, approved), signal);
    return changed();
  }

  return async ({ agent, context, ...asking }) => {
    const own = (agent.definition.tools ?? []).filter(({ mcp }) => mcp !== undefined);
    const servers = Map.groupBy(own, ({ mcp, url }) => JSON.stringify([mcp!.server, url]));
    const { organization_id: orgId, agent_id: agentId } = context;
    const changed = await Promise.all(
      [...servers.values()].map((tools) =>
        changedOf(tools, [orgId, agentId, tools[0]!.mcp!.server, tools[0]!.url], asking),
      ),
    );
    return new Set(changed.flat().map(({ name }) => name));
  };
}

async function atMost(ms: number, work: Promise<void>, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => done(), { once: true });
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
