import type { AgentDefinition, LocalizedText, Rule, Step } from '../../../../../contract/agents.ts';

/** An emptied field is removed, so the server receives no empty texts and lists. */
export function cleanDefinition(edited: AgentDefinition): AgentDefinition {
  const { provider = 'embedded', steps, result, rules, tools, hand_off: handOff } = edited;
  const isCode = provider === 'http';
  const hasModel = provider !== 'embedded';
  return without({
    ...edited,
    instructions: edited.instructions?.trim() ? edited.instructions : undefined,
    model: hasModel && !isCode ? edited.model?.trim() || undefined : undefined,
    url: isCode ? edited.url?.trim() || undefined : undefined,
    temperature: hasModel && !isCode ? edited.temperature : undefined,
    end_user_fields: hasModel ? edited.end_user_fields : undefined,
    read_images: hasModel && edited.read_images === false ? false : undefined,
    max_output_tokens: hasModel ? edited.max_output_tokens : undefined,
    time_limit_seconds: hasModel ? edited.time_limit_seconds : undefined,
    fallback: hasModel && edited.fallback?.length ? edited.fallback.map(without) : undefined,
    opening: text(edited.opening),
    knowledge: hasModel && edited.knowledge?.max_tokens !== undefined ? edited.knowledge : undefined,
    dont_know: text(edited.dont_know),
    steps: steps?.items.length
      ? without({ ...steps, items: steps.items.map(step), summary: text(steps.summary) })
      : undefined,
    result: result?.fields.length ? { fields: result.fields.map(without) } : undefined,
    rules: rules?.length ? rules.map(rule) : undefined,
    tools: tools?.length ? tools.map((one) => without({ ...one, confirm: text(one.confirm) })) : undefined,
    hand_off: handOff ? without({ ...handOff, text: text(handOff.text) }) : undefined,
    no_reply: noReply(edited.no_reply),
    survey: survey(edited.survey),
  });
}

const step = (one: Step): Step =>
  without({
    ...one,
    ask: text(one.ask) ?? {},
    ask_again: text(one.ask_again),
    choices:
      one.type === 'choice'
        ? one.choices?.map((choice) => ({ ...choice, label: text(choice.label) ?? {} }))
        : undefined,
  });

const rule = (one: Rule): Rule =>
  without({
    ...one,
    words: one.words?.length ? one.words : undefined,
    pattern: one.pattern || undefined,
    reply: text(one.reply),
    tag: one.tag?.trim() || undefined,
  });

function noReply(edited: AgentDefinition['no_reply']): AgentDefinition['no_reply'] {
  const { remind = [], end_after_minutes: end, then } = edited ?? {};
  if (remind.length === 0 && end === undefined) return undefined;
  return without({
    remind: remind.length > 0 ? remind.map((one) => ({ ...one, text: text(one.text) ?? {} })) : undefined,
    end_after_minutes: end,
    // oxlint-disable-next-line unicorn/no-thenable -- the name on the wire, of a text
    then: end === undefined ? undefined : then,
  });
}

function survey(edited: AgentDefinition['survey']): AgentDefinition['survey'] {
  if (edited === undefined) return undefined;
  const { question, thanks, channels } = edited;
  return without({
    question: text(question),
    thanks: text(thanks),
    channels: channels?.length ? channels : undefined,
  });
}

function text(localized: LocalizedText | undefined): LocalizedText | undefined {
  const filled = Object.entries(localized ?? {}).filter(([, words]) => words.trim() !== '');
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

const without = <T extends object>(record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;

/** True if two values are equal, regardless of the order of their fields. */
export const sameDefinition = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
