import { EndUser } from '../end-users.ts';
import { PageQuery, SearchText } from './shapes.ts';

/** The dashboard shows people as the public API does. */
export const EndUserRecord = EndUser;
export type EndUserRecord = EndUser;

export const EndUserListQuery = PageQuery({ text: SearchText });
