import {
  CHANNEL_KINDS,
  channelFields,
  type ChannelField,
  type ChannelKindName,
} from '../../../contract/channel-kinds.ts';

/** Describes the settings of every kind for `--help` from the forms that the server validates with. */
export const describeKinds = (): string =>
  `Kinds and their settings (* required, # secret: stored encrypted and never shown again):\n${CHANNEL_KINDS.map(describeKind).join('\n')}`;

function describeKind(kind: ChannelKindName): string {
  const fields = channelFields(kind);
  if (fields.length === 0) return `  ${kind}\n    (none)`;
  const width = Math.max(...fields.map((field) => markedName(field).length));
  return [
    `  ${kind}`,
    ...fields.map((field) => `    ${markedName(field).padEnd(width)}  ${field.description}`.trimEnd()),
  ].join('\n');
}

const markedName = ({ name, required, secret }: ChannelField): string =>
  `${name}${required ? '*' : ''}${secret ? '#' : ''}`;
