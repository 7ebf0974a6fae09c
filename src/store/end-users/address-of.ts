import { kindsBy, type PersonField } from '../../../contract/channel-kinds.ts';

const listed = (field: PersonField): string =>
  kindsBy(field)
    .map((kind) => `'${kind}'`)
    .join(', ');

/** SQL of the address that the record of end user `e` holds for a kind of channel; null where it holds none. */
export const addressOf = (kind: string): string =>
  `CASE WHEN ${kind} IN (${listed('email')}) THEN e.email WHEN ${kind} IN (${listed('phone')}) THEN e.phone END`;
