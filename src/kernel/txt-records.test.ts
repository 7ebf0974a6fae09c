import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NameServer, startNameServer } from '../../test/fakes/name-server.ts';
import { createTxtLookUp, type LookUpTxt } from './txt-records.ts';

/** Uses a name server on a real port. */
let dns: NameServer;
let lookUp: LookUpTxt;
beforeAll(async () => {
  dns = await startNameServer();
  lookUp = createTxtLookUp([dns.address]);
});
afterAll(() => dns.stop());
beforeEach(() => dns.records.clear());

describe('TXT records', () => {
  it('TXT records are read completely, even if they consist of several strings', async () => {
    dns.records.set('example.com', [['v=spf1 ', '-all'], ['parley-verify=abc']]);
    expect(await lookUp('example.com')).toEqual(['v=spf1 -all', 'parley-verify=abc']);
  });

  it('the result is empty for an unknown name, and for a name without TXT records', async () => {
    expect(await lookUp('nobody.example')).toEqual([]);
    dns.records.set('empty.example', []);
    expect(await lookUp('empty.example')).toEqual([]);
  });

  it('TXT records are looked up on every call', async () => {
    dns.records.set('example.com', [['one']]);
    expect(await lookUp('example.com')).toEqual(['one']);
    dns.records.delete('example.com');
    expect(await lookUp('example.com')).toEqual([]);
  });

  it('a silent name server is an error, not a missing record', async () => {
    dns.silent = true;
    await expect(lookUp('example.com')).rejects.toThrow(/TIMEOUT|REFUSED/);
    dns.silent = false;
  });
});
