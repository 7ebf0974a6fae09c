import { DEFAULT_KNOWLEDGE_TOKENS } from '../../../contract/agents.ts';
import { type Gathered, MAX_HISTORY, type Passage, type TurnRequest } from '../provider.ts';
import type { TurnTrace } from '../turn-trace.ts';

export type Numbered = { number: number; passage: Passage };

/** The passages that a model may cite in one turn, which it received or found by searching. */
export type Sources = {
  /** True: the model has all passages of the agent. */
  readonly whole: boolean;
  /** The names of the documents. */
  readonly names: readonly string[];
  /** The passages in the order of their numbers, which begin at 1. */
  readonly passages: Numbered[];
  /** Searches the documents with words of the model. */
  search(query: string): Promise<Numbered[]>;
};

/** One search of the model adds at most this many tokens. */
const SEARCH_TOKENS = 4_000;

/**
 * Collects the passages for the newest messages of the person. A follow-up such as "and on Sunday?" means little alone,
 * so the previous message is also used, with a lower weight.
 */
export async function findSources(request: TurnRequest, steps: TurnTrace['steps']): Promise<Sources> {
  const { input, history, knowledge, agent } = request;
  const tokens = agent.definition.knowledge?.max_tokens ?? DEFAULT_KNOWLEDGE_TOKENS;
  const questions = history.filter(({ role }) => role === 'end_user').map(({ text }) => text);
  const earlier = questions.slice(0, Math.max(0, questions.length - input.length)).at(-1) ?? '';
  const gathered = await knowledge.gather(input.slice(-MAX_HISTORY).join('\n'), earlier, tokens, request);
  noteMeaning(gathered, steps);
  const passages: Numbered[] = [];
  const places = new Map<string, Numbered>();
  /** A passage that is found twice keeps its number. */
  const add = ({ findings }: Gathered): Numbered[] =>
    findings.map(({ passage }) => {
      const place = JSON.stringify([passage.document_id, passage.heading, passage.text]);
      const known = places.get(place);
      if (known !== undefined) return known;
      const one = { number: passages.length + 1, passage };
      places.set(place, one);
      passages.push(one);
      return one;
    });
  add(gathered);
  const { whole, documents: names } = gathered;
  steps.push({
    kind: 'passages',
    detail: whole ? `all ${passages.length}` : `${passages.length} found`,
    passages: whole
      ? []
      : gathered.findings.slice(0, MAX_TRACED).map(({ passage, score }) => ({ ...placeOf(passage), score })),
  });
  return {
    whole,
    names,
    passages,
    search: async (query) => {
      const found = await knowledge.gather(query, '', Math.min(tokens, SEARCH_TOKENS), request);
      noteMeaning(found, steps);
      return add(found);
    },
  };
}

/** Records in the turn whether embeddings were used, or the reason why they were not used. */
function noteMeaning({ meaning }: Gathered, steps: TurnTrace['steps']): void {
  if (meaning === 'used') steps.push({ kind: 'embedding', detail: 'used' });
  else if (meaning !== undefined) steps.push({ kind: 'embedding_failed', detail: meaning });
}

/** The trace of a turn names at most this many passages. */
const MAX_TRACED = 20;

const placeOf = ({ document, heading }: Passage) => ({ document, heading });
