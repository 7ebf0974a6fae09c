import { wellFormedJson } from '../../kernel/storable.ts';

/**
 * Sends only well-formed texts to a provider. Prompts, results of tools and passages are cut to a length, and a provider
 * refuses a request with half of a surrogate pair.
 */
export const withWellFormedBody =
  (send: typeof fetch): typeof fetch =>
  (url, init) =>
    send(url, typeof init?.body === 'string' ? { ...init, body: wellFormedJson(init.body) } : init);
