import { Type, type Static } from 'typebox';
import { ClockTime } from '../campaigns.ts';
import { closed, Id, Nullable, TimeZone } from './shapes.ts';

/** True: the reader gets hand-offs. */
export const AttendanceBody = Type.Object({ away: Type.Boolean() }, closed);

/** The settings of the inbox that the member chose, valid in all browsers. */
export const InboxBody = Type.Object({ opens_next: Type.Boolean() }, closed);

/**
 * The recipients of a hand-off, which are everyone, one member, or the members who are present, one after the other.
 */
export const HAND_OFF_RECIPIENTS = ['no_one', 'member', 'present'] as const;
/** A member counts as present for this time after the dashboard was last visible. */
export const ATTENDING_SECONDS = 300;
export const MAX_OUTSIDE_CHARACTERS = 1_000;
const MAX_LANGUAGES = 20;

export const MAX_RANGES = 50;
export const MAX_HOLIDAYS = 100;
const Until = Type.String({
  ...ClockTime,
  description: 'Earlier than `from`: the next day. Equal to `from`: all day.',
});
const Day = Type.Integer({ minimum: 1, maximum: 7, description: 'Day of the week; 1 is Monday.' });

/**
 * Hours have either `ranges`, or one range for all `days`. A response contains both forms of the hours. The form with
 * one range is an approximation.
 */
const WorkingHours = Type.Object(
  {
    ranges: Type.Optional(
      Type.Array(Type.Object({ day: Day, from: ClockTime, to: Until }, closed), { minItems: 1, maxItems: MAX_RANGES }),
    ),
    /** The days on which no one works. */
    holidays: Type.Optional(
      Type.Array(
        Type.Object(
          {
            date: Type.String({ format: 'date' }),
            name: Type.Optional(Type.String({ maxLength: 100, format: 'line' })),
          },
          closed,
        ),
        { maxItems: MAX_HOLIDAYS },
      ),
    ),
    days: Type.Optional(Type.Array(Day, { minItems: 1, maxItems: 7, uniqueItems: true })),
    from: Type.Optional(ClockTime),
    to: Type.Optional(Until),
    time_zone: TimeZone,
  },
  closed,
);
export type WorkingHours = Static<typeof WorkingHours>;

const texts = Type.Record(
  Type.String({ pattern: '^(default|[a-z]{2,3})$' }),
  Type.String({ minLength: 1, maxLength: MAX_OUTSIDE_CHARACTERS, pattern: '\\S' }),
  { minProperties: 1, maxProperties: MAX_LANGUAGES },
);

const fields = {
  goes_to: Type.Enum(HAND_OFF_RECIPIENTS),
  /** The member who gets hand-offs if `goes_to` is `member`. */
  user_id: Nullable(Id('user')),
  /** Null: the team works at all hours. */
  hours: Nullable(WorkingHours),
  /**
   * The message that a person gets once after a hand-off outside the working hours. Null: the person gets no message.
   */
  outside: Nullable(texts),
};
export const SetHandOffRulesBody = Type.Object(fields, closed);
export const HandOffRules = Type.Object({ ...fields, user_id: Nullable(Type.String()) }, { title: 'HandOffRules' });
export type HandOffRules = Static<typeof HandOffRules>;
