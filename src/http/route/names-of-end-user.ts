import type { EndUserInput } from '../../../contract/triggers.ts';

/** All names of one end user, for the limit per end user. */
export const namesOf = (endUser: EndUserInput | undefined): string[] => [
  ...(endUser?.id === undefined ? [] : [endUser.id]),
  ...(typeof endUser?.external_id === 'string' ? [`external_id ${endUser.external_id}`] : []),
  ...addressed(endUser?.email),
  ...addressed(endUser?.phone),
];

/** A phone number or e-mail address gives the same name as an address on a channel. */
export const addressed = (address: string | null | undefined): string[] =>
  typeof address === 'string' ? [`at ${address.toLowerCase()}`] : [];
