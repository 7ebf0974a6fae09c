import type { CallOptions } from './transport.ts';

export type Page<T> = { data: T[]; next_cursor: string | null; has_more: boolean };
export type PageOptions = CallOptions & {
  /** The number of records per page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of a page, after which the list starts. */
  cursor?: string | undefined;
};

/**
 * On a list, `for await` yields the records of all pages. The method `page()` returns only the first page, and
 * `pages()` yields each page.
 */
export class List<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #from: string | undefined;

  constructor(read: (cursor: string | undefined) => Promise<Page<T>>, from?: string) {
    this.#read = read;
    this.#from = from;
  }

  page(): Promise<Page<T>> {
    return this.#read(this.#from);
  }

  async *pages(): AsyncGenerator<Page<T>, void, void> {
    let cursor = this.#from;
    for (;;) {
      const page = await this.#read(cursor);
      yield page;
      if (!page.has_more || page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const { data } of this.pages()) yield* data;
  }
}
