import type { Static } from 'typebox';
import type { EndUserExportQuery } from '../../contract/dashboard/end-users.ts';

/** The filters of the list of end users, in the form that the store expects. */
export function filterOf({ text, tag, attribute, blocked }: Static<typeof EndUserExportQuery>) {
  const split = attribute?.indexOf('=') ?? -1;
  return {
    text,
    blocked,
    tags: tag === undefined ? undefined : [tag],
    attributes: attribute === undefined ? undefined : { [attribute.slice(0, split)]: attribute.slice(split + 1) },
  };
}
