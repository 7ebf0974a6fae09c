import { jsonSchema, tool, type ToolSet } from 'ai';
import { SEARCH_TOOL } from '../../../contract/agents.ts';
import type { TurnTrace } from '../turn-trace.ts';
import { listPassages } from './build-prompt.ts';
import type { Sources } from './find-sources.ts';

/** The maximum number of searches in one turn. */
const MAX_SEARCHES = 3;
const MAX_TRACED_CHARACTERS = 1_000;

/** The model searches with its own words, so a question in one language finds documents in another. */
export function searchTool(sources: Sources, signal: AbortSignal, steps: TurnTrace['steps']): ToolSet[string] {
  let left = MAX_SEARCHES;
  return tool({
    description:
      'Searches the documents and returns passages with their numbers. Write the query in the language of the documents, in the words that they probably use.',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { query: { type: 'string', description: 'A question or a few words.' } },
      required: ['query'],
      additionalProperties: false,
    }),
    execute: async (args: unknown): Promise<string> => {
      const { query } = Object(args) as { query?: unknown };
      if (typeof query !== 'string' || query.trim() === '') return JSON.stringify({ error: 'The query is missing.' });
      const input = query.slice(0, MAX_TRACED_CHARACTERS);
      if (--left < 0) return JSON.stringify({ error: 'No more searches in this turn: answer with what you have.' });
      try {
        const found = await sources.search(query);
        steps.push({ kind: 'search', detail: `${found.length} found`, input });
        return found.length === 0 ? 'No passage fits.' : listPassages(found);
      } catch {
        if (signal.aborted) throw signal.reason;
        steps.push({ kind: 'search_failed', detail: SEARCH_TOOL, input });
        return JSON.stringify({ error: 'The documents cannot be searched now.' });
      }
    },
  });
}
