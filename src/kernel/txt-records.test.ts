import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NameServer, startNameServer } from '../../test/fakes/name-server.ts';
import { createTxtLookUp, type LookUpTxt } from './txt-records.ts';

/** Against a name server on a real port. */
let dns: NameServer;
let lookUp: LookUpTxt;
beforeAll(async () => {
  dns = await startNameServer();
  lookUp = createTxtLookUp([dns.address]);
});
afterAll(() => dns.stop());
beforeEach(() => dns.records.clear());

describe('TXT records', () => {
  it('are read whole, however they are cut into pieces', async () => {
    dns.records.set('example.com', [['v=spf1 ', '-all'], ['parley-verify=abc']]);
    expect(await lookUp('example.com')).toEqual(['v=spf1 -all', 'parley-verify=abc']);
  });

  it('are none of a name that is not there, and of one that has others alone', async () => {
    expect(await lookUp('nobody.example')).toEqual([]);
    dns.records.set('empty.example', []);
    expect(await lookUp('empty.example')).toEqual([]);
  });

  it('are asked for each time', async () => {
    dns.records.set('example.com', [['one']]);
    expect(await lookUp('example.com')).toEqual(['one']);
    dns.records.delete('example.com');
    expect(await lookUp('example.com')).toEqual([]);
  });

  it('are not said to be missing by a name server that says nothing', async () => {
    dns.silent = true;
    await expect(lookUp('example.com')).rejects.toThrow(/TIMEOUT|REFUSED/);
    dns.silent = false;
  });
});
