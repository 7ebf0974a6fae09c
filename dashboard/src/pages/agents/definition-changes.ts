import type { AgentDefinition } from '../../../../contract/agents.ts';
import { sameDefinition } from './editor/clean-definition.ts';

/**
 * One difference between two definitions, with its path and the text of both sides, or null if one side lacks it. A
 * name that a user chose is in quotation marks in the path.
 */
export type Change = { path: readonly string[]; before: string | null; after: string | null };

/** This part of a path means that the items are equal but their order differs. */
export const ORDER = ' order';

/**
 * The differences are in the order of the second definition's fields. Steps, rules, tools and choices are matched by
 * name.
 */
export const changesOf = (before: AgentDefinition, after: AgentDefinition): Change[] => compare([], before, after);

type Data = Readonly<Record<string, unknown>>;
const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);
const isItems = (value: unknown): value is readonly Data[] =>
  Array.isArray(value) && value.length > 0 && value.every(isData);
/** The values of `parameters` are written as JSON, so they are compared as JSON. */
const AS_JSON = 'parameters';

function compare(path: readonly string[], before: unknown, after: unknown): Change[] {
  if (sameDefinition(before, after)) return [];
  if (path.at(-1) !== AS_JSON) {
    if (isItems(before ?? after) && isItems(after ?? before)) {
      return compareItems(path, (before ?? []) as Data[], (after ?? []) as Data[]);
    }
    if (isData(before ?? after) && isData(after ?? before))
      return compareFields(path, (before ?? {}) as Data, (after ?? {}) as Data);
  }
  return [{ path, before: textOf(before), after: textOf(after) }];
}

function compareFields(path: readonly string[], before: Data, after: Data): Change[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  // The lists of steps and of result fields have no separate name in the path.
  const at = (name: string) => (name === 'items' || name === 'fields' ? path : [...path, name]);
  return [...names].flatMap((name) => compare(at(name), before[name], after[name]));
}

function compareItems(path: readonly string[], before: readonly Data[], after: readonly Data[]): Change[] {
  const [old, now] = [named(before), named(after)];
  const changes = [...now].flatMap(([name, item]): Change[] => {
    const was = old.get(name);
    const at = [...path, `“${name}”`];
    return was ? compareFields(at, was, item) : [{ path: at, before: null, after: textOf(item) }];
  });
  for (const [name, item] of old)
    if (!now.has(name)) changes.push({ path: [...path, `“${name}”`], before: textOf(item), after: null });
  const [stayed, remaining] = [
    [...old.keys()].filter((name) => now.has(name)),
    [...now.keys()].filter((name) => old.has(name)),
  ];
  if (stayed.join('\n') !== remaining.join('\n'))
    changes.push({ path: [...path, ORDER], before: stayed.join('\n'), after: remaining.join('\n') });
  return changes;
}

/** A draft may contain two items with the same name, which a number distinguishes. */
function named(items: readonly Data[]): Map<string, Data> {
  const byName = new Map<string, Data>();
  items.forEach((item, index) => {
    const given = [item['name'], item['id'], item['model'], item['provider']].find((each) => typeof each === 'string');
    const name = given ?? String(index + 1);
    byName.set(byName.has(name) ? `${name} (${index + 1})` : name, item);
  });
  return byName;
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
