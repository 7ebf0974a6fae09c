import { embeddedProvider } from '../engine/embedded/provider.ts';
import { NO_KNOWLEDGE } from '../engine/provider.ts';
import { renderText } from '../engine/templates.ts';
import type { Db } from '../store/db.ts';
import { readAgentForTurns } from '../store/agents/read-for-turns.ts';
import { chooseVersion } from './choose-version.ts';
import { tryContext } from './try-context.ts';

export type Opening = {
  orgId: string;
  agentId: string;
  /** The version that the call chose. */
  version?: number | null;
  /** Absent or null: the end user does not exist yet. */
  endUserId?: string | null;
  locale: string | null;
  variables: Record<string, unknown>;
  endUser: { name: string | null } & Record<string, unknown>;
};

/** Renders the opening of a conversation for a dry run. Null: a model would write the opening. */
export async function renderOpening(
  db: Db,
  { orgId, agentId, version = null, endUserId = null, locale, variables, endUser: person }: Opening,
): Promise<string | null> {
  const live = await readAgentForTurns(db.$client, orgId, agentId, version);
  if (!live) return null;
  // An end user who does not exist yet has no place in a rollout.
  const chosen = endUserId === null ? live : chooseVersion(live, version ?? undefined, endUserId);
  const agent =
    chosen.version === live.version ? live : await readAgentForTurns(db.$client, orgId, agentId, chosen.version);
  if (!agent) return null;
  const all = { ...variables, end_user: person };
  if ((agent.definition.provider ?? 'embedded') !== 'embedded')
    return renderText(agent.definition.opening, locale, all);
  const turn = await embeddedProvider.turn({
    agent: { id: agent.id, name: agent.name, definition: agent.definition },
    locale,
    variables: all,
    end_user: { id: '', name: person.name, locale },
    history: [],
    input: [],
    state: null,
    knowledge: NO_KNOWLEDGE,
    context: tryContext(orgId, agent.id),
    now: new Date(),
    signal: AbortSignal.timeout(1_000),
  });
  const texts = turn.messages.map((message) => ('text' in message.content ? (message.content.text ?? '') : ''));
  return texts.join('\n\n') || null;
}
