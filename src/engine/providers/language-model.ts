import type { LanguageModel } from 'ai';
import type { ProviderName } from '../../../contract/agents.ts';
import { ProviderError } from '../provider.ts';
import { withWellFormedBody } from './well-formed-body.ts';

export type ModelProviderName = Exclude<ProviderName, 'embedded' | 'http'>;

export type ModelSettings = {
  name: ModelProviderName;
  /**
   * The base URL of the provider's API. The base URL is required for `openai_compatible`. By default, the base URL is
   * the provider's own address.
   */
  baseUrl?: string | undefined;
  /** The key of the provider's API, which `openai_compatible` servers may not need. */
  apiKey?: string | undefined;
  fetch: typeof fetch;
};

/**
 * Base URLs and keys are always set explicitly. Without an explicit URL and key, the SDKs read OPENAI_API_KEY and
 * similar variables, so an organization without a key would use the operator's account.
 */
const BASE_URLS: Record<Exclude<ModelProviderName, 'openai_compatible'>, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

/** The first agent that needs an SDK loads it, because most installations use one SDK or none. */
export async function languageModel(settings: ModelSettings, model: string): Promise<LanguageModel> {
  const { name, apiKey = '' } = settings;
  const fetch = withWellFormedBody(settings.fetch);
  const baseURL = baseUrlOf(settings);
  if (name === 'openai_compatible') {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const credentials = apiKey === '' ? {} : { apiKey };
    const server = { name, baseURL, ...credentials, fetch };
    // Requests the token usage for streams too.
    return createOpenAICompatible({ ...server, includeUsage: true })(model);
  }
  switch (name) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI({ baseURL, apiKey, fetch }).responses(model);
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic({ baseURL, apiKey, fetch })(model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle({ baseURL, apiKey, fetch })(model);
  }
}

/** Returns the base URL of the provider. The function throws for settings that cannot work. */
export function baseUrlOf({ name, baseUrl, apiKey = '' }: ModelSettings): string {
  if (name === 'openai_compatible') {
    if (!baseUrl) throw unset('The model provider has no base URL. Set one with the provider.');
    return baseUrl;
  }
  if (apiKey === '') throw unset('The model provider has no API key. Set one with the provider.');
  return baseUrl || BASE_URLS[name];
}

export const unset = (sentence: string) => new ProviderError('provider_refused', sentence, { retryable: false });
