import { Type, type Static } from 'typebox';
import { ID_SUFFIX_PATTERN } from '../ids.ts';
import { closed } from './shapes.ts';

/**
 * The topics of live updates to which a page can subscribe. An event names only topics and never contains the change.
 * After an event, the page reads its data again with its usual routes and permissions.
 */
export const TOPICS = ['conversations', 'waiting', 'approvals', 'keys', 'requests', 'audit', 'first_steps'] as const;
/** The kinds of topics for one record, for example `conversation:conv_…`. */
export const RECORD_TOPICS = { conversation: 'conv', presence: 'conv', runs: 'trigger', campaign: 'campaign' } as const;

export type TopicKind = (typeof TOPICS)[number] | keyof typeof RECORD_TOPICS;
export type Topic = (typeof TOPICS)[number] | `${keyof typeof RECORD_TOPICS}:${string}`;

/** One page may subscribe to at most this many topics. */
export const MAX_TOPICS = 8;

const topic = [
  ...TOPICS,
  ...Object.entries(RECORD_TOPICS).map(([kind, prefix]) => `${kind}:${prefix}_${ID_SUFFIX_PATTERN}`),
].join('|');

/** The ID of an event is a short digest of the state of each topic. */
export const POSITION_PATTERN = '^[\\w.-]{1,200}$';

export const ChangesQuery = Type.Object(
  {
    topics: Type.String({
      pattern: `^(?:${topic})(?:,(?:${topic})){0,${MAX_TOPICS - 1}}$`,
      maxLength: 400,
      description: 'Separated by commas.',
    }),
    since: Type.Optional(
      Type.String({
        pattern: POSITION_PATTERN,
        description: 'A part for each topic, separated by dots. The stream begins with the changes since then.',
      }),
    ),
  },
  closed,
);

/**
 * The data of the event `changed`. The list of topics is empty if nothing changed while the stream was disconnected.
 */
export const Changed = Type.Object({ topics: Type.Array(Type.String()) }, { title: 'Changed' });
export type Changed = Static<typeof Changed>;
