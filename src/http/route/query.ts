import type { TSchema } from 'typebox';
import { MAX_PAGE } from '../../../contract/limits.ts';
import { Type } from 'typebox';
import { Refusal, type Fault } from '../../../contract/problems.ts';
import { compileBody, wireSchema } from '../../kernel/validation/validate.ts';
import { escapePointer } from '../../kernel/validation/faults.ts';

/** The two parameters of every list, to spread into the `query` of a route. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: 'Records per page.' })),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: '`next_cursor` of the previous page, unchanged.' }),
  ),
};

type Property = { readonly type?: string; readonly format?: string; readonly [keyword: string]: unknown };

/**
 * Values of the listed formats never contain spaces, so a space shows an unescaped plus sign (`?phone=+97430000000`).
 */
const WITHOUT_SPACES = new Set(['phone', 'email', 'date-time']);

type ReadQuery = (text: string) => Record<string, unknown>;

/**
 * A query contains only text. If the schema requires an integer or a boolean, only the one canonical spelling is
 * converted. All other text is not converted and fails the schema by its type. An unknown or duplicate parameter is a
 * fault. Routes with the same schema share one reader.
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

/**
 * Checks the query of a route that declares no query. The query is ignored, except for fields of the body and
 * `dry_run`, because the caller expects an effect of these names. If `?dry_run=true` were ignored, the call would send
 * real messages.
 */
export function compileMisplaced(body: TSchema | undefined): (text: string) => void {
  const fields = new Set(body && 'properties' in body ? Object.keys(body.properties as object) : []);
  return (text) => {
    if (text === '') return;
    const names = new Set(new URLSearchParams(text).keys());
    const errors = [...names]
      .filter((name) => name === 'dry_run' || fields.has(name))
      .map((name) => ({
        pointer: pointerTo(name),
        code: 'unknown_field' as const,
        detail: fields.has(name) ? 'Send this field in the body, not in the query.' : 'This call has no dry run.',
      }));
    if (errors.length > 0)
      throw new Refusal('validation_failed', 'The query contains a parameter that is not allowed.', { errors });
  };
}

const pointerTo = (name: string): string => `/${escapePointer(name)}`;

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
    pointer: pointerTo(name),
    code: 'duplicate',
    detail: 'This parameter is given more than once.',
  };
  return new Refusal('validation_failed', 'A query parameter is given more than once.', { errors: [fault] });
}
