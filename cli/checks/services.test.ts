import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeSmtp, startSmtp } from '../../test/fakes/smtp.ts';
import { type Collector, startCollector } from '../../test/fakes/otlp-collector.ts';
import { startS3 } from '../../test/fakes/s3.ts';
import { checkBlobs, checkMail, checkTraces } from './services.ts';

let smtp: FakeSmtp;
beforeEach(async () => {
  smtp = await startSmtp();
});
afterEach(() => smtp.stop());

const url = (password = smtp.password): string =>
  `smtp://${encodeURIComponent(smtp.user)}:${encodeURIComponent(password)}@127.0.0.1:${smtp.port}?security=none`;
const check = (env: Record<string, string>) => checkMail({ PATH: process.env['PATH'], ...env });
const from = { MAIL_FROM: 'Parley <noreply@example.com>' };

it('the mail check signs in to the mail server and sends no mail', async () => {
  const findings = await check({ SMTP_URL: url(), ...from });
  expect(findings).toMatchObject({ name: 'mail', status: 'ok', detail: expect.stringContaining('takes the sign-in') });
  expect([smtp.mails, smtp.attempts()]).toEqual([[], 0]);
});

it('the mail check reports the problem and the remedy, but not the password', async () => {
  const wrong = await check({ SMTP_URL: url('not the password'), ...from });
  expect(wrong).toMatchObject({ status: 'fail', detail: expect.stringContaining('credentials') });
  expect(wrong.fix).toContain('SMTP_URL');
  expect(JSON.stringify(wrong)).not.toContain('not the password');
});

it('the mail check reports that no server responds', async () => {
  const gone = url();
  await smtp.stop();
  expect((await check({ SMTP_URL: gone, ...from })).status).toBe('fail');
  smtp = await startSmtp();
});

it('the mail check names a missing setting', async () => {
  const findings = await check({ SMTP_URL: url() });
  expect(findings).toMatchObject({ status: 'fail', detail: expect.stringContaining('MAIL_FROM') });
});

it('the mail check accepts a configuration without mail', async () => {
  expect(await check({})).toMatchObject({ status: 'ok', detail: expect.stringContaining('shown, not mailed') });
});

describe('traces', () => {
  let collector: Collector;
  beforeEach(async () => {
    collector = await startCollector();
  });
  afterEach(() => collector.stop());
  const traces = (env: Record<string, string> = {}) =>
    checkTraces({ PATH: process.env['PATH'], OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });

  it('the trace check connects to the collector without sending a span', async () => {
    const findings = await traces({ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of the collector' });
    expect(findings).toMatchObject({
      name: 'traces',
      status: 'ok',
      detail: `${new URL(collector.url).host} takes traces.`,
    });
    expect([collector.requests.length, collector.spans, collector.faults]).toEqual([1, [], []]);
    expect(collector.requests[0]!.headers['x-key']).toBe('of the collector');
  });

  it('the trace check reports why the collector refuses spans', async () => {
    collector.answer = () => ({ status: 401 });
    const findings = await traces();
    expect(findings).toMatchObject({ status: 'warn', detail: expect.stringContaining('it returned 401') });
    expect(findings.fix).toContain('OTEL_EXPORTER_OTLP_');
    const named = await traces({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    expect(named).toMatchObject({ status: 'fail', detail: expect.stringContaining('PROTOCOL') });
  });

  it('the trace check accepts a configuration without a collector', async () => {
    expect((await traces({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).detail).toContain('No collector');
  });
});

describe('the store of files', () => {
  it('the storage check writes an object and deletes it again', async () => {
    const s3 = await startS3();
    const ask = (url: string) => checkBlobs({ PATH: process.env['PATH'], BLOBS_URL: url });
    expect(await ask(s3.url)).toMatchObject({ name: 'files', status: 'ok' });
    expect([s3.calls.map((call) => call.split(' ')[0]), s3.objects.size]).toEqual([['PUT', 'GET', 'DELETE'], 0]);
    const refused = await ask(s3.url.replace('key%3D', 'wrong'));
    expect(refused).toMatchObject({ status: 'fail', detail: expect.stringContaining('rejects the key') });
    expect(JSON.stringify(refused)).not.toContain('wrong');
    expect((await ask('https://example.com/bucket')).detail).toContain('BLOBS_URL is not the address');
    await s3.stop();
    expect((await ask(s3.url)).detail).toContain('does not respond');
    expect(await checkBlobs({ PATH: process.env['PATH'] })).toMatchObject({ status: 'ok' });
  });
});
