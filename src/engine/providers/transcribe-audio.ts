import { NoTranscriptGeneratedError, transcribe, type TranscriptionModel } from 'ai';
import { NO_TRANSCRIPTS } from '../../../contract/dashboard/models.ts';
import { timedCall } from './timed-call.ts';
import { baseUrlOf, type ModelSettings, unset } from './language-model.ts';

export type Transcription = {
  settings: ModelSettings;
  model: string;
  audio: Uint8Array;
  timeoutMs: number;
  signal?: AbortSignal;
};

/** The limit for the `fetch` in `settings`, because an hour of speech is about 100 kB of text. */
export const TRANSCRIPT_MAX_BYTES = 1024 * 1024;

/**
 * Returns the text of a person's audio, in the language of the person. The value is empty if the audio contains no
 * speech.
 */
export async function transcribeAudio({ settings, model, audio, timeoutMs, signal }: Transcription): Promise<string> {
  const call = timedCall(settings, { timeoutMs, signal });
  try {
    const { text } = await transcribe({
      model: await transcriptionModel(call.settings, model),
      audio,
      maxRetries: 0,
      abortSignal: call.until,
      // Compatible servers support this format, but not all of them return times of words.
      providerOptions: { openai: { responseFormat: 'json' } },
      telemetry: { isEnabled: false },
    });
    return text.trim();
  } catch (error) {
    if (!signal?.aborted && NoTranscriptGeneratedError.isInstance(error)) return '';
    throw call.failure(error);
  }
}

async function transcriptionModel(settings: ModelSettings, model: string): Promise<TranscriptionModel> {
  const { name, apiKey = '', fetch } = settings;
  const baseURL = baseUrlOf(settings);
  if (name === 'anthropic') throw unset(NO_TRANSCRIPTS);
  if (name === 'google')
    return (await import('@ai-sdk/google')).createGoogle({ baseURL, apiKey, fetch }).transcription(model);
  // The package for compatible servers has no transcription. The package for OpenAI makes the same call. The package
  // for OpenAI requires a key.
  return (await import('@ai-sdk/openai'))
    .createOpenAI({ baseURL, apiKey: apiKey || 'none', fetch })
    .transcription(model);
}
