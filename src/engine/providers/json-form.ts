import { jsonSchema, type JSONSchema7, Output } from 'ai';

/**
 * Asks the provider for JSON of this schema. The text is not changed. The caller parses the text, so that it can
 * request a correction of an answer that cannot be parsed.
 */
export const jsonForm = (schema: Record<string, unknown>): ReturnType<typeof Output.text> => ({
  ...Output.text(),
  responseFormat: Output.object({ schema: jsonSchema(schema as JSONSchema7) }).responseFormat,
});
