import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountDashboard } from './serve-dashboard.ts';

const CODE = `export const words = ${JSON.stringify('Hello people of the inbox. '.repeat(200))};`;
const BEST = brotliCompressSync(CODE, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

describe('the files of the dashboard', () => {
  let folder: string;
  let server: FastifyInstance;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-files-'));
    await mkdir(path.join(folder, 'assets'));
    await writeFile(path.join(folder, 'index.html'), '<!doctype html><title>Parley</title>');
    for (const name of ['built', 'other']) await writeFile(path.join(folder, 'assets', `${name}.js`), CODE);
    await writeFile(path.join(folder, 'assets', 'built.js.br'), BEST);
    server = fastify();
    mountDashboard(server, folder);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const get = (url: string, accepted: string) =>
    server.inject({ method: 'GET', url, headers: { 'accept-encoding': accepted } });

  it('the server sends the bytes that the build compressed', async () => {
    const { headers, rawPayload } = await get('/assets/built.js', 'gzip, deflate, br');
    expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(rawPayload.equals(BEST)).toBe(true);
  });

  it('the server compresses a file that the build did not compress', async () => {
    const { headers, rawPayload } = await get('/assets/other.js', 'br');
    expect(headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(rawPayload).toString()).toBe(CODE);
  });

  it('a client without brotli gets gzip or plain text', async () => {
    const zipped = await get('/assets/built.js', 'gzip');
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(CODE);
    for (const accepted of ['identity', 'br;q=0']) {
      const plain = await get('/assets/built.js', accepted);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.body).toBe(CODE);
    }
  });

  it('the compressed copy of a file has no URL of its own', async () => {
    expect((await get('/assets/built.js.br', 'br')).statusCode).toBe(404);
  });
});
