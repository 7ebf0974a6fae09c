import { Type, type Static } from 'typebox';
import { ID_SUFFIX_PATTERN } from '../ids.ts';
import { closed } from './shapes.ts';

/**
 * What a page can be told of as it changes. An event names topics, never what changed in them: the page reads again
 * what it shows, by the routes and with the rights that it has anyway.
 */
export const TOPICS = ['conversations', 'waiting', 'keys', 'requests', 'audit', 'first_steps'] as const;
/** Topics about one record, `conversation:conv_…`. */
export const RECORD_TOPICS = { conversation: 'conv', presence: 'conv', runs: 'trigger', campaign: 'campaign' } as const;

export type TopicKind = (typeof TOPICS)[number] | keyof typeof RECORD_TOPICS;
export type Topic = (typeof TOPICS)[number] | `${keyof typeof RECORD_TOPICS}:${string}`;

/** A page shows few things at once. */
export const MAX_TOPICS = 8;

const topic = [
  ...TOPICS,
  ...Object.entries(RECORD_TOPICS).map(([kind, prefix]) => `${kind}:${prefix}_${ID_SUFFIX_PATTERN}`),
].join('|');

export const ChangesQuery = Type.Object(
  {
    topics: Type.String({
      pattern: `^(?:${topic})(?:,(?:${topic})){0,${MAX_TOPICS - 1}}$`,
      maxLength: 400,
      description: 'Separated by commas.',
    }),
  },
  closed,
);

/** Data of the event `changed`; empty when nothing changed while the stream was away. */
export const Changed = Type.Object({ topics: Type.Array(Type.String()) }, { title: 'Changed' });
export type Changed = Static<typeof Changed>;
