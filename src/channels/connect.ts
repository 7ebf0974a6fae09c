import { Compile, type Validator } from 'typebox/compile';
import type { Fault } from '../../contract/problems.ts';
import { addressFault } from '../kernel/check-address.ts';
import type { ChannelTemplate } from '../../contract/dashboard/channels.ts';
import type { Egress } from '../kernel/egress.ts';
import { setting } from './call-provider.ts';
import { type ChannelAccount, ChannelFailure, type ChannelKind, type SendTools } from './channel.ts';
import type { ChannelKinds } from './kinds.ts';
import { escapePointer } from '../kernel/validation/faults.ts';
import { FORMATS } from '../kernel/validation/formats.ts';

/** The functions of the kinds that the verbs of features/channels use. The verbs are the same for every kind. */
export type Connector = {
  /** Null: the kind does not exist or receives nothing over HTTP. */
  inboundUrl(kind: string, channelId: string): string | null;
  split(kind: string, filled: Record<string, unknown>): SplitSettings | { faults: Fault[] };
  /** True for a stored secret that a user entered. Parley creates all secrets that users do not enter. */
  isEntered(kind: string, secret: string): boolean;
  /**
   * True for a secret of ours that a connection sends to the provider. A new address must not receive the secret of the
   * old address.
   */
  isSentToProvider(kind: string, secret: string): boolean;
  /** `own`: our secrets that the other side already has. The function stores nothing. */
  connect(
    kind: string,
    channelId: string,
    split: SplitSettings,
    own?: Record<string, string>,
  ): Promise<Connected | { refused: ConnectRefusal }>;
  /** False: no provider can check the settings. */
  canAsk(kind: string): boolean;
  /**
   * Null: the kind has no templates. The function requests the list from the provider again only after some seconds.
   */
  templates(kind: string, account: ChannelAccount): Promise<TemplatesAnswer | null>;
  /** The channel is disconnected even if the provider cannot be reached. */
  disconnect(kind: string, account: ChannelAccount): Promise<void>;
};

/**
 * The reason why the provider refuses the channel, as a sentence. The reason includes the wrong setting, if it is
 * known.
 */
export type ConnectRefusal = { code: string; detail: string; setting: string | null; isBroken: boolean };

type TemplatesAnswer = { items: ChannelTemplate[] } | { refused: ConnectRefusal };

type ConnectorDeps = {
  kinds: ChannelKinds;
  egress: Pick<Egress, 'request' | 'connect' | 'check'>;
  baseUrl: string;
  now(): number;
};

export function createConnector({ kinds, egress, baseUrl, now }: ConnectorDeps): Connector {
  /** The last answers about templates are cached, so that many open pages do not call the provider many times. */
  const asked = new Map<string, { until: number; answer: Promise<TemplatesAnswer> }>();
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
    isEntered: (name, secret) => kinds.get(name)?.secretFields.includes(secret) ?? false,
    isSentToProvider: (name, secret) => kinds.get(name)?.ownSecrets?.sentToProvider?.includes(secret) ?? false,
    async connect(name, channelId, split, own) {
      try {
        return await connectAccount(kinds.get(name)!, channelId, split, { egress, baseUrl, now }, own);
      } catch (error) {
        return refusedBy(error, split);
      }
    },
    async templates(name, account) {
      const kind = kinds.get(name);
      if (!kind?.listTemplates) return null;
      const known = asked.get(account.id);
      if (known && known.until > now()) return known.answer;
      const tools = {
        egress,
        now,
        signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS),
        inboundUrl: inboundUrl(baseUrl, kind, account.id),
      };
      const answer = kind.listTemplates(account, tools).then(
        (items) => ({ items }),
        (error: unknown) => refusedBy(error, account),
      );
      if (asked.size >= MAX_ASKED) asked.clear();
      asked.set(account.id, { until: now() + ASK_AGAIN_MS, answer });
      return answer;
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

function refusedBy(error: unknown, { settings, secrets }: SplitSettings): { refused: ConnectRefusal } {
  if (!(error instanceof ChannelFailure)) throw error;
  const { code, message: detail, facts } = error;
  const { setting: named = null, channelBroken: isBroken = false } = facts;
  const known = named !== null && named in { ...settings, ...secrets };
  return { refused: { code, detail, setting: known ? named : null, isBroken } };
}

/** A user's input, split into settings that may be shown again and secrets that are sealed. */
export type SplitSettings = { settings: Record<string, unknown>; secrets: Record<string, string> };

/** Validates a user's input against the kind's own schema, then splits it. */
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

/** The stored data of a connected channel. `shown`: the secret that the response shows once, for the other side. */
export type Connected = SplitSettings & { shown: { name: string; value: string } | null };

/** The time limit is short, because a user waits for the result. */
const DISCONNECT_TIMEOUT_MS = 5_000;
const ASK_AGAIN_MS = 5_000;
const MAX_ASKED = 1_000;
/** A provider may take this long to check the credentials. */
const CONNECT_TIMEOUT_MS = 15_000;

/**
 * Creates our own secrets, then checks the credentials with the provider and sends the inbound URL to the provider. The
 * function throws a ChannelFailure whose message is a sentence for the user. The function stores nothing.
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

/**
 * Refuses a URL that can never be called, even if no provider can check it. Host and port are judged by the same rules
 * as on a real call.
 */
async function checkUrl(
  egress: Pick<Egress, 'check'>,
  settings: SplitSettings['settings'],
  name: string,
): Promise<void> {
  const url = setting(settings, name);
  const fault = url.includes('://') ? await addressFault(egress, at(name), url) : null;
  if (fault !== null) throw new ChannelFailure(fault.code, fault.detail, { setting: name });
}

/** The URL that the provider calls for a channel. */
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

const at = (name: string): string => `/settings/${escapePointer(name)}`;

type Shape = { description?: string; format?: string; items?: { description?: string } };

/** People often enter a URL without https://. */
const isPartOfUrl = (shape: Shape | undefined, value: unknown): boolean =>
  shape?.format === 'uri' && typeof value === 'string' && !/^https?:\/\//.test(value);

function faultsOf(kind: ChannelKind, check: Validator, filled: Record<string, unknown>): Fault[] {
  const { properties = {}, required = [] } = kind.settings as {
    properties?: Record<string, Shape>;
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
    const [, name = '', entry] = instancePath.split('/');
    const shape = properties[name];
    const hint = entry === undefined ? shape?.description : (shape?.items?.description ?? shape?.description);
    const detail = isPartOfUrl(shape, filled[name])
      ? FORMATS['uri']!.says
      : `This value is not valid.${hint ? ` ${hint}` : ''}`;
    faults.push({ pointer, code: keyword, detail });
  }
  return faults;
}
