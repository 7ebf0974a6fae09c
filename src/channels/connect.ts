import { Compile, type Validator } from 'typebox/compile';
import type { Fault } from '../../contract/problems.ts';
import { addressFault } from '../kernel/check-address.ts';
import type { Egress } from '../kernel/egress.ts';
import { setting } from './call-provider.ts';
import { type ChannelAccount, ChannelFailure, type ChannelKind, type SendTools } from './channel.ts';
import type { ChannelKinds } from './kinds.ts';

/** What the verbs of features/channels need of the kinds; which kind it is, they do not know. */
export type Connector = {
  /** Null: there is no such kind, or nothing comes in over HTTP. */
  inboundUrl(kind: string, channelId: string): string | null;
  split(kind: string, filled: Record<string, unknown>): SplitSettings | { faults: Fault[] };
  /** Secrets among the stored ones that a person gave, the others are our own. */
  isGiven(kind: string, secret: string): boolean;
  /** A secret of ours that connecting sends to the provider: another address must not learn the one of before. */
  isTold(kind: string, secret: string): boolean;
  /** `own`: secrets of ours that the other side knows already. Nothing is stored here. */
  connect(
    kind: string,
    channelId: string,
    split: SplitSettings,
    own?: Record<string, string>,
  ): Promise<Connected | { refused: ConnectRefusal }>;
  /** False: there is no provider to ask. */
  canAsk(kind: string): boolean;
  /** Best effort: a provider that cannot be told does not keep a channel connected. */
  disconnect(kind: string, account: ChannelAccount): Promise<void>;
};

/** Why the provider does not take the channel, in a sentence, and the setting at fault where that is known. */
export type ConnectRefusal = { code: string; detail: string; setting: string | null; isBroken: boolean };

type ConnectorDeps = {
  kinds: ChannelKinds;
  egress: Pick<Egress, 'request' | 'connect' | 'check'>;
  baseUrl: string;
  now(): number;
};

export function createConnector({ kinds, egress, baseUrl, now }: ConnectorDeps): Connector {
  return {
    inboundUrl(name, channelId) {
      const kind = kinds.get(name);
      return kind?.inbound ? inboundUrl(baseUrl, kind, channelId) : null;
    },
    split(name, filled) {
      const kind = kinds.get(name);
      if (kind) return splitSettings(kind, filled);
      const detail = `There is no such kind of channel. There are: ${[...kinds.keys()].join(', ')}.`;
      return { faults: [{ pointer: '/kind', code: 'not_available', detail }] };
    },
    isGiven: (name, secret) => kinds.get(name)?.secretFields.includes(secret) ?? false,
    isTold: (name, secret) => kinds.get(name)?.ownSecrets?.told?.includes(secret) ?? false,
    async connect(name, channelId, split, own) {
      try {
        return await connectAccount(kinds.get(name)!, channelId, split, { egress, baseUrl, now }, own);
      } catch (error) {
        if (!(error instanceof ChannelFailure)) throw error;
        const { code, message: detail, facts } = error;
        const known = facts.setting !== undefined && facts.setting in { ...split.settings, ...split.secrets };
        const isBroken = facts.channelBroken ?? false;
        return { refused: { code, detail, setting: known ? facts.setting : null, isBroken } };
      }
    },
    canAsk: (name) => kinds.get(name)?.connect !== undefined,
    async disconnect(name, account) {
      const kind = kinds.get(name);
      if (!kind?.disconnect) return;
      const signal = AbortSignal.timeout(DISCONNECT_TIMEOUT_MS);
      const tools: SendTools = { egress, now, signal, inboundUrl: inboundUrl(baseUrl, kind, account.id) };
      await kind.disconnect(account, tools).catch(() => {});
    },
  };
}

/** What a person filled in, apart: what may be read again, and what is sealed. */
export type SplitSettings = { settings: Record<string, unknown>; secrets: Record<string, string> };

/** Checks what a person filled in against the kind's own schema, and splits it. */
export function splitSettings(kind: ChannelKind, filled: Record<string, unknown>): SplitSettings | { faults: Fault[] } {
  const check = validatorOf(kind);
  if (!check.Check(filled)) return { faults: faultsOf(kind, check, filled) };
  const isSecret = (name: string) => kind.secretFields.includes(name);
  const entries = Object.entries(filled);
  return {
    settings: Object.fromEntries(entries.filter(([name]) => !isSecret(name))),
    secrets: Object.fromEntries(entries.filter(([name]) => isSecret(name))) as Record<string, string>,
  };
}

/** What a connected channel is stored with; `shown`: the secret that the answer shows once, for the other side. */
export type Connected = SplitSettings & { shown: { name: string; value: string } | null };

/** A person waits for it at a button. */
const DISCONNECT_TIMEOUT_MS = 5_000;
/** How long a provider may take to say whether the credentials are right. */
const CONNECT_TIMEOUT_MS = 15_000;

/**
 * Makes our own secrets, then asks the provider whether the credentials work and tells it where to call. Throws
 * ChannelFailure, whose message is a sentence for the person who connects. Nothing is stored here.
 */
export async function connectAccount(
  kind: ChannelKind,
  channelId: string,
  { settings, secrets }: SplitSettings,
  { egress, baseUrl, now }: Omit<ConnectorDeps, 'kinds'>,
  own: Record<string, string> = {},
): Promise<Connected> {
  for (const name of kind.addressFields) await checkUrl(egress, settings, name);
  const all = { ...secrets, ...kind.ownSecrets?.make(), ...own };
  const facts = await kind.connect?.(
    { id: channelId, settings, secrets: all },
    { egress, now, signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS), inboundUrl: inboundUrl(baseUrl, kind, channelId) },
  );
  const shown = kind.ownSecrets?.shown ?? null;
  return {
    settings: { ...settings, ...(facts && { account: facts }) },
    secrets: all,
    shown: shown === null ? null : { name: shown, value: all[shown]! },
  };
}

/** What could never be called is refused, whether or not a provider is asked; host and port are judged as they are called. */
async function checkUrl(
  egress: Pick<Egress, 'check'>,
  settings: SplitSettings['settings'],
  name: string,
): Promise<void> {
  const url = setting(settings, name);
  const fault = url.includes('://') ? await addressFault(egress, at(name), url) : null;
  if (fault !== null) throw new ChannelFailure(fault.code, fault.detail, { setting: name });
}

/** Where the provider calls us about a channel. */
export const inboundUrl = (baseUrl: string, { kind }: Pick<ChannelKind, 'kind'>, channelId: string): string =>
  `${baseUrl}/inbound/${kind}/${channelId}`;

const validators = new Map<string, Validator>();

function validatorOf(kind: ChannelKind): Validator {
  const known = validators.get(kind.kind);
  if (known) return known;
  const made: Validator = Compile(kind.settings);
  validators.set(kind.kind, made);
  return made;
}

const at = (name: string): string => `/settings/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function faultsOf(kind: ChannelKind, check: Validator, filled: Record<string, unknown>): Fault[] {
  const { properties = {}, required = [] } = kind.settings as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
  };
  const faults: Fault[] = [];
  for (const name of Object.keys(filled)) {
    if (!Object.hasOwn(properties, name)) {
      const known = Object.keys(properties).join(', ') || 'none';
      const detail = `A ${kind.kind} channel has no such setting. It has: ${known}.`;
      faults.push({ pointer: at(name), code: 'unknown_field', detail });
    }
  }
  for (const name of required) {
    if (filled[name] === undefined) {
      const detail = properties[name]?.description ?? `A ${kind.kind} channel needs this.`;
      faults.push({ pointer: at(name), code: 'required', detail });
    }
  }
  const named = new Set(faults.map(({ pointer }) => pointer));
  for (const { instancePath, keyword } of check.Errors(filled)) {
    const pointer = `/settings${instancePath}`;
    if (instancePath === '' || named.has(pointer)) continue;
    named.add(pointer);
    const hint = properties[instancePath.slice(1)]?.description;
    faults.push({ pointer, code: keyword, detail: `This does not look right.${hint ? ` ${hint}` : ''}` });
  }
  return faults;
}
