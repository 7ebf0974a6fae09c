import { describe, expect, it } from 'vitest';
import type { StoredKey } from '../../store/api-keys/records.ts';
import { createDirectory } from './directory.ts';

let now = 0;
const clock = { wall: () => now, monotonic: () => now };
const directoryOf = (entries = 100) => createDirectory({ clock, entries, absentMs: 1_000 });

const record = (id: string, orgId = 'org_1', plan: 'free' | 'paid' = 'paid'): StoredKey => ({
  id,
  orgId,
  orgName: 'Test',
  plan,
  label: 'Test',
  prefix: 'parley_us_abcdef',
  scope: 'organization',
  agentId: null,
  campaignId: null,
  permissions: ['triggers'],
  allowedNetworks: null,
  perMinute: null,
  perEndUserPerMinute: null,
  total: null,
  revokeAt: null,
  revokedAt: null,
  lastUsedAt: null,
});

describe('directory', () => {
  it('the directory forgets every key of an organization whose plan changed, and reads the new plan', () => {
    const directory = directoryOf();
    for (const id of ['key_1', 'key_2']) directory.keepKey(id, record(id), directory.generation());
    directory.keepKey('key_3', record('key_3', 'org_2'), directory.generation());
    directory.drop({ kind: 'organization', id: 'org_1' });
    expect(directory.key('key_1')).toBeUndefined();
    expect(directory.key('key_2')).toBeUndefined();
    expect(directory.key('key_3')?.caller.keyId).toBe('key_3');
    directory.keepKey('key_1', record('key_1', 'org_1', 'free'), directory.generation());
    expect(directory.key('key_1')?.caller.plan).toBe('free');
    expect(directory.key('key_2')).toBeUndefined();
  });

  it('the directory does not store data that was read before a change of the key, its organization or all records', () => {
    for (const change of [
      { kind: 'key', id: 'key_1' },
      { kind: 'organization', id: 'org_1' },
    ] as const) {
      const directory = directoryOf();
      const before = directory.generation();
      directory.drop(change);
      expect(directory.keepKey('key_1', record('key_1'), before)?.caller.keyId).toBe('key_1');
      expect(directory.key('key_1')).toBeUndefined();
      directory.keepKey('key_2', record('key_2', 'org_2'), before);
      expect(directory.key('key_2')).toBeDefined();
    }
    const directory = directoryOf();
    const before = directory.generation();
    directory.flush();
    directory.keepKey('key_1', record('key_1'), before);
    expect(directory.key('key_1')).toBeUndefined();
  });

  it('if the directory cannot remember all changes, it treats all records as changed', () => {
    const directory = directoryOf();
    const before = directory.generation();
    for (let i = 0; i < 10_000; i++) directory.drop({ kind: 'key', id: `key_${i}` });
    directory.keepKey('x', record('key_x'), before);
    expect(directory.key('x')).toBeUndefined();
  });

  it('the directory stays within its limit and keeps recently used records', () => {
    const directory = directoryOf(100);
    for (let i = 0; i < 1_000; i++) {
      directory.keepKey(`digest_${i}`, record(`key_${i}`, `org_${i}`), directory.generation());
      for (let used = 0; used < Math.min(i, 10); used++) directory.key(`digest_${used}`);
    }
    expect(directory.size()).toBe(100);
    for (let used = 0; used < 10; used++) expect(directory.key(`digest_${used}`)).toBeDefined();
  });

  it('the directory remembers a missing record for one lease, or until the next change', () => {
    const directory = directoryOf();
    directory.keepKey('none', null, directory.generation());
    directory.keepTarget('agent', 'org_1', 'agent_1', null, directory.generation());
    expect(directory.key('none')).toBeNull();
    expect(directory.target('agent', 'org_1', 'agent_1')).toBeNull();
    expect(directory.target('agent', 'org_2', 'agent_1')).toBeUndefined();
    now += 1_000;
    expect(directory.key('none')).toBeUndefined();
    directory.keepTarget('agent', 'org_1', 'agent_1', null, directory.generation());
    directory.drop({ kind: 'agent', id: 'agent_1' });
    expect(directory.target('agent', 'org_1', 'agent_1')).toBeUndefined();
  });

  it('the directory never returns an agent of another organization', () => {
    const directory = directoryOf();
    const agent = { id: 'agent_1', name: 'A', enabled: true, sandboxChannelId: null };
    directory.keepTarget('agent', 'org_1', 'agent_1', agent, directory.generation());
    expect(directory.target('agent', 'org_1', 'agent_1')).toMatchObject({ orgId: 'org_1', name: 'A' });
    expect(directory.target('agent', 'org_2', 'agent_1')).toBeUndefined();
  });

  it('the directory forgets an agent when its sandbox channel changes', () => {
    const directory = directoryOf();
    const agent = { id: 'agent_1', name: 'A', enabled: true, sandboxChannelId: 'channel_1' };
    directory.keepTarget('agent', 'org_1', 'agent_1', agent, directory.generation());
    const before = directory.generation();
    directory.drop({ kind: 'channel', id: 'channel_1' });
    expect(directory.target('agent', 'org_1', 'agent_1')).toBeUndefined();
    directory.keepTarget('agent', 'org_1', 'agent_1', agent, before);
    expect(directory.target('agent', 'org_1', 'agent_1')).toBeUndefined();
  });
});
