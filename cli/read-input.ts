import { readFile } from 'node:fs/promises';
import { Failure } from './failure.ts';

/** Every endpoint that accepts a text refuses a larger text. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/** Reads a text file in UTF-8, or standard input if the path is "-". */
export async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Failure('file_unreadable', `${path} is not text in UTF-8.`, { cause: error });
  }
}

/** Reads any file, or standard input if the path is "-". */
export async function readBytes(path: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = path === '-' ? await readStandardInput() : await readFile(path);
  } catch (error) {
    throw new Failure('file_unreadable', `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, {
      cause: error,
    });
  }
  if (bytes.length > MAX_INPUT_BYTES) throw new Failure('file_unreadable', `${path} is larger than 16 MiB.`);
  return bytes;
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_INPUT_BYTES) break;
  }
  return Buffer.concat(chunks);
}

/** Reads JSON from a flag or a file. The text `what` names the source in the error message. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Failure('usage_invalid', `${what} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

export function parseJsonObject(text: string, what: string): Record<string, unknown> {
  const value = parseJson(text, what);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Failure('usage_invalid', `${what} must be a JSON object, such as {"name":"value"}.`);
}

/** Reads a secret from standard input, without the line end that a shell adds. */
export async function readSecret(what: string): Promise<string> {
  const secret = (await readText('-')).replace(/\r?\n$/, '');
  if (secret === '') throw new Failure('usage_invalid', `Standard input has no ${what}.`);
  return secret;
}

/** Reads an option's value as a whole number within limits. */
export const wholeNumber =
  (name: string, least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new Failure('usage_invalid', `${name} must be a whole number from ${least} to ${most}.`);
  };

/** Divides an option's value at its commas. */
export const listOf = (text: string): string[] => text.split(',').map((one) => one.trim());
