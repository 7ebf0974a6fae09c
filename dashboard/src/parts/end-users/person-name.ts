import { defineTexts, useTexts } from '../../language/texts.tsx';

const texts = defineTexts({ visitor: 'Visitor {number}' }, { visitor: 'زائر {number}' });

type Person = { id: string; name: string | null; external_id: string | null };

/**
 * Returns the name of a person. A person without a name or an external ID has a number, so that members can distinguish
 * unnamed people.
 */
export function usePersonName(): (person: Person) => string {
  const say = useTexts(texts);
  return ({ id, name, external_id }) => name ?? external_id ?? say('visitor', { number: visitorNumber(id) });
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** The number uses twenty bits of the ID. */
const LAST = 4;

/**
 * Returns four digits from the random end of the ID, which are the same on every page. Two of some thousands of people
 * may have equal numbers.
 */
export function visitorNumber(id: string): string {
  let value = 0;
  for (const digit of id.slice(-LAST)) value = value * 32 + Math.max(0, DIGITS.indexOf(digit));
  return String(1_000 + (value % 9_000));
}
