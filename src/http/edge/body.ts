import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_BODY_BYTES, MAX_JSON_KEYS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Upload } from './upload-memory.ts';
import { parseStrictJson } from '../../kernel/strict-json.ts';

export type Body = { readonly value: unknown; readonly bytes: Buffer };
export type BodyRules = { readonly optional: boolean; readonly maxKeys?: number; readonly maxBytes?: number };

const EMPTY = Buffer.alloc(0);

/**
 * Reads a JSON body and checks row 13 of the order of checks (docs/security.md): its type, its size, and whether it is
 * JSON.
 */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  rules: BodyRules,
): Promise<Body> {
  if (!announcesBody(request)) return emptyBody(rules);
  refuseOtherTypes(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  const maxBytes = rules.maxBytes ?? MAX_BODY_BYTES;
  if (declared > maxBytes) throw tooLarge(maxBytes);
  // A client that sent `Expect: 100-continue` gets `100 Continue` only after access was granted.
  if (request.headers.expect !== undefined) response.writeContinue();
  const bytes = await readBytes(request, maxBytes);
  return bytes.length === 0 ? emptyBody(rules) : { value: parseJson(bytes, rules.maxKeys), bytes };
}

/**
 * Reads the raw body, which is a file, or the bytes that a signature covers. `arrival`: counts the memory of the body.
 */
export async function readRawBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  upload?: Upload,
): Promise<Buffer> {
  if (!announcesBody(request)) return EMPTY;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.headers.expect !== undefined) response.writeContinue();
  return readBytes(request, maxBytes, upload).finally(() => upload?.release());
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal('payload_too_large', `Send at most ${(maxBytes / 1024).toLocaleString('en')} KiB.`);

const announcesBody = ({ headers }: IncomingMessage): boolean => {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
};

function emptyBody(rules: BodyRules): Body {
  if (!rules.optional) throw new Refusal('body_invalid', 'The body is empty; this call needs a JSON object.');
  return { value: {}, bytes: EMPTY };
}

const PLAIN_JSON = /^application\/json[\t ]*(;[\t ]*charset=("utf-8"|utf-8)[\t ]*)?;?[\t ]*$/i;

function refuseOtherTypes({ headers, rawHeaders }: IncomingMessage): void {
  const type = headers['content-type'];
  if (type === undefined || (type !== 'application/json' && !PLAIN_JSON.test(type)))
    throw new Refusal('unsupported_media_type', 'The Content-Type must be application/json in UTF-8.');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Refusal('unsupported_media_type', 'The body must not be compressed: omit Content-Encoding.');
  // If a header is repeated, Node uses the first value and hides the other values.
  let types = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === 12 && rawHeaders[i]!.toLowerCase() === 'content-type') types++;
  if (types > 1) throw new Refusal('unsupported_media_type', 'There must be exactly one Content-Type header.');
}

function readBytes(request: IncomingMessage, maxBytes: number, upload?: Upload): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let isRefused = false;
    const giveUp = (refusal: Refusal): void => {
      isRefused = true;
      chunks = [];
      reject(refusal);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // Data beyond the limit is read and discarded until the connection is closed.
      if (isRefused) return;
      if (size > maxBytes) giveUp(tooLarge(maxBytes));
      else if (upload && !upload.take(chunk.length))
        giveUp(new Refusal('unavailable', 'This server receives too many large bodies at the same time.'));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    // The caller does not get this response, because the connection is closed. The rejection ends the handler, and the
    // log says "cut off". Node also reports a closed connection as an error event, which would end the process without
    // a listener.
    request.on('error', () =>
      reject(new Refusal('request_invalid', 'The connection closed before the body was complete.')),
    );
  });
}

/** The function throws `body_invalid`. */
export function parseJson(bytes: Buffer, maxKeys: number = MAX_JSON_KEYS): unknown {
  if (!isUtf8(bytes)) throw new Refusal('body_invalid', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) throw new Refusal('body_invalid', 'The body starts with a byte order mark.');
  const parsed = parseStrictJson(text, maxKeys);
  if ('fault' in parsed) throw new Refusal('body_invalid', parsed.fault);
  return parsed.value;
}
