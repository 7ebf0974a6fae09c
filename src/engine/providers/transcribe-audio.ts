import { NoTranscriptGeneratedError, transcribe, type TranscriptionModel } from 'ai';
import { NO_TRANSCRIPTS } from '../../../contract/dashboard/models.ts';
import { baseUrlOf, type ModelSettings, unset } from './language-model.ts';
import { mapFailure } from './map-failure.ts';

export type Transcription = {
  settings: ModelSettings;
  model: string;
  audio: Uint8Array;
  timeoutMs: number;
  signal?: AbortSignal;
};

/** Limit for the `fetch` in `settings`: an hour of speech is some 100 kB of words. */
export const TRANSCRIPT_MAX_BYTES = 1024 * 1024;

/** The words in audio of a person, in the language of the person; empty when there are none. */
export async function transcribeAudio({ settings, model, audio, timeoutMs, signal }: Transcription): Promise<string> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const until = signal ? AbortSignal.any([signal, timeout]) : timeout;
  let answered: number | null = null;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await settings.fetch(url, { ...init, signal: until });
    answered = response.status;
    return response;
  };
  try {
    const { text } = await transcribe({
      model: await transcriptionModel({ ...settings, fetch }, model),
      audio,
      maxRetries: 0,
      abortSignal: until,
      // Compatible servers answer this form; not all of them give times of words.
      providerOptions: { openai: { responseFormat: 'json' } },
      telemetry: { isEnabled: false },
    });
    return text.trim();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (NoTranscriptGeneratedError.isInstance(error)) return '';
    throw mapFailure(error, { apiKey: settings.apiKey, answered });
  }
}

async function transcriptionModel(settings: ModelSettings, model: string): Promise<TranscriptionModel> {
  const { name, apiKey = '', fetch } = settings;
  const baseURL = baseUrlOf(settings);
  if (name === 'anthropic') throw unset(NO_TRANSCRIPTS);
  if (name === 'google')
    return (await import('@ai-sdk/google')).createGoogle({ baseURL, apiKey, fetch }).transcription(model);
  // The package for compatible servers has no transcripts; this one speaks the same call. It asks for a key.
  return (await import('@ai-sdk/openai'))
    .createOpenAI({ baseURL, apiKey: apiKey || 'none', fetch })
    .transcription(model);
}
