import type { ModelMessage } from 'ai';
import type { TurnImage, TurnMessage, TurnRequest } from '../provider.ts';
import type { TurnTrace } from '../turn-trace.ts';

/** The newest images of a conversation are enough to answer, and each image uses hundreds of tokens. */
const MAX_IMAGES = 4;
/** The model receives images of this many newest messages only, so that an old image is not paid for in every turn. */
const MAX_AGE = 10;

/** A user message with images and text. */
export type UserParts = Extract<Extract<ModelMessage, { role: 'user' }>['content'], unknown[]>;

export type ShownImages = {
  /** The images that the model receives, by the ID of their message. */
  images: ReadonlyMap<string, TurnImage>;
  /** True: the person sent images that the model does not receive. */
  isPartial: boolean;
  close(): void;
};

export const NO_IMAGES: ShownImages = { images: new Map(), isPartial: false, close: () => undefined };

/** Reads the images for the model. The trace contains the hashes of the images. */
export async function showImages(
  { history, agent, openImages }: TurnRequest,
  steps: TurnTrace['steps'],
): Promise<ShownImages> {
  const sent = history.flatMap(({ image }) => image ?? []);
  if (sent.length === 0) return NO_IMAGES;
  const wanted = history
    .slice(-MAX_AGE)
    .flatMap(({ image }) => image ?? [])
    .slice(-MAX_IMAGES);
  if (!openImages || agent.definition.read_images === false || wanted.length === 0) return withoutImages();
  const { images, close } = await openImages(wanted.toReversed());
  if (images.size > 0) {
    const hashes = [...images.values()].map(({ hash }) => hash);
    steps.push({ kind: 'images', detail: String(images.size), hashes });
  }
  return { images, isPartial: images.size < sent.length, close };
}

/** The model is told that it cannot see the images. */
export const withoutImages = (): ShownImages => ({ ...NO_IMAGES, isPartial: true });

/** Returns a message of the person in the form that a model receives. */
export function contentOf({ text, image }: TurnMessage, { images }: ShownImages): string | UserParts {
  const shown = image === undefined ? undefined : images.get(image);
  if (shown === undefined) return text;
  return [
    { type: 'text', text },
    { type: 'file', data: shown.bytes, mediaType: shown.type },
  ];
}

/**
 * The highest number of tokens of an image. A model that splits images into tiles counts up to 48,000 (OpenAI, small
 * models).
 */
const IMAGE_TOKENS = 50_000;

/**
 * Returns the highest number of tokens of a request with images. `bytes`: the length of the request, in which images
 * are base64.
 */
export function mostTokens(bytes: number, { images }: ShownImages): number {
  const encoded = [...images.values()].reduce((sum, image) => sum + Math.ceil(image.bytes.length / 3) * 4, 0);
  return Math.max(bytes - encoded, 0) + images.size * IMAGE_TOKENS;
}
