import type { TSchema } from 'typebox';
import { MAX_PAGE } from '../../../contract/limits.ts';
import { Type } from 'typebox';
import { Refusal, type Fault } from '../../../contract/problems.ts';
import { compileBody, wireSchema } from '../../kernel/validation/validate.ts';

/** The two parameters of every list. Spread these parameters into a route's own `query`. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: 'Records per page.' })),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: '`next_cursor` of the previous page, unchanged.' }),
  ),
};

type Property = { readonly type?: string; readonly format?: string; readonly [keyword: string]: unknown };

/** Values of these formats contain no spaces, so a space is an unescaped plus sign (`?phone=+97430000000`). */
const WITHOUT_SPACES = new Set(['phone', 'email', 'date-time']);

type ReadQuery = (text: string) => Record<string, unknown>;

/**
 * A query contains only text. If the schema requires an integer or a boolean, only the one canonical spelling is
 * converted. All other text stays text and fails the schema by its type. An unknown or duplicate parameter is a fault.
 * Routes with the same schema share one reader.
 */
export function compileQuery(schema: TSchema): ReadQuery {
  let reader = readers.get(schema);
  if (!reader) readers.set(schema, (reader = createReader(schema)));
  return reader;
}

const readers = new WeakMap<TSchema, ReadQuery>();

function createReader(schema: TSchema): ReadQuery {
  const wire = wireSchema({ ...schema, additionalProperties: false });
  const properties = (wire.properties ?? {}) as Record<string, Property>;
  const check = compileBody(wire);
  return (text) => {
    const query: Record<string, unknown> = {};
    if (text !== '') {
      for (const [name, value] of pairsOf(text)) {
        if (Object.hasOwn(query, name)) throw twice(name);
        query[name] = read(value, Object.hasOwn(properties, name) ? properties[name] : undefined);
      }
    }
    check(query);
    return query;
  };
}

/** This parser is our own, because URLSearchParams repairs broken encodings instead of refusing them. */
function pairsOf(text: string): [string, string][] {
  try {
    return text
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name, ...value] = pair.replaceAll('+', ' ').split('=');
        return [decode(name!), decode(value.join('='))];
      });
  } catch {
    throw new Refusal('request_invalid', 'The query contains invalid percent-encoding or a control character.');
  }
}

function decode(text: string): string {
  const decoded = decodeURIComponent(text);
  // oxlint-disable-next-line eslint/no-control-regex
  if (/[\0-\x1f\x7f]/.test(decoded) || decoded === '__proto__') throw new URIError('not a name or value of ours');
  return decoded;
}

function read(value: string, property: Property | undefined): unknown {
  if (property?.type === 'integer' && /^-?(0|[1-9]\d{0,14})$/.test(value)) return Number(value);
  if (property?.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return WITHOUT_SPACES.has(property?.format ?? '') ? value.replaceAll(' ', '+') : value;
}

function twice(name: string): Refusal {
  const fault: Fault = {
    pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    code: 'duplicate',
    detail: 'This parameter is given more than once.',
  };
  return new Refusal('validation_failed', 'A query parameter is given more than once.', { errors: [fault] });
}
