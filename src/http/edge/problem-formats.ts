import type { ProblemBody, ProblemCode } from '../../../contract/problems.ts';

/** A format for the error body of a route. */
export type ProblemFormat = {
  readonly type: string;
  /** The name of the body's schema in the OpenAPI description. */
  readonly schema: string;
  bodyOf(problem: ProblemBody): object;
};

const RFC_9457: ProblemFormat = { type: 'application/problem+json', schema: 'Problem', bodyOf: (problem) => problem };

/**
 * The format that clients of OpenAI's API read. In the format of OpenAI, `code` is Parley's code, and the message
 * contains all faults.
 */
const OPENAI: ProblemFormat = {
  type: 'application/json',
  schema: 'OpenAIError',
  bodyOf: ({ type, title: _title, detail, status, ...more }) => ({
    error: {
      message: messageOf(detail, more.errors),
      type: typeOf(status),
      param: paramOf(more),
      doc_url: type,
      ...more,
    },
  }),
};

/** Below this path, errors have OpenAI's format, also for unknown paths. */
export const OPENAI_PATH = '/api/openai/';

/** Chooses the format by the path of a route, or by the target of a request without a route. */
export const formatOf = (path: string): ProblemFormat => (path.startsWith(OPENAI_PATH) ? OPENAI : RFC_9457);

const messageOf = (detail: string, errors: ProblemBody['errors']): string =>
  errors === undefined
    ? detail
    : errors.map((fault) => `${nameOf(fault.pointer) ?? 'The body'}: ${fault.detail}`).join(' ');

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

const IN_BODY: { readonly [code in ProblemCode]?: string } = {
  agent_not_found: 'model',
  agent_mismatch: 'model',
  agent_disabled: 'model',
  trigger_not_found: 'metadata.trigger',
  trigger_disabled: 'metadata.trigger',
};

const paramOf = ({ code, errors }: Pick<ProblemBody, 'code' | 'errors'>): string | null =>
  IN_BODY[code] ?? (errors?.[0] ? nameOf(errors[0].pointer) : null);

/** The pointer `/messages/0/content` becomes `messages[0].content`. */
const nameOf = (pointer: string): string | null =>
  pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~') || null;
