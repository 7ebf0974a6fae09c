import { FORMATS } from '../kernel/validation/formats.ts';
import type { ChannelKind } from './channel.ts';

/** The sentence about an address that a kind of channel cannot read. The sentence contains the fix, if it is known. */
export const unreadableAddress = ({ kind, personField }: Pick<ChannelKind, 'kind' | 'personField'>): string =>
  personField === undefined ? `This is not a valid address on a ${kind} channel.` : FORMATS[personField]!.says;
