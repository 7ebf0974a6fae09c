/** An entry of the search index for one heading of one page. */
export type Entry = {
  readonly title: string;
  /** The method and path of an endpoint, or the code of a problem. */
  readonly detail: string;
  /** The title of the page that contains the heading. For a whole page, the kind of the page. */
  readonly place: string;
  readonly href: string;
  /** Every word below the heading, once each. */
  readonly words: string;
  readonly isPage: boolean;
};

export function wordsOf(text: string): string[];
export function find(entries: readonly Entry[], query: string): Entry[];
