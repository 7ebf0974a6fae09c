import { jsonSchema, type JSONSchema7, Output } from 'ai';

/**
 * Asks the provider for JSON of the given schema. The function does not change the text of the answer. The caller
 * parses the text, so that the caller can request a correction.
 */
export const jsonForm = (schema: Record<string, unknown>): ReturnType<typeof Output.text> => ({
  ...Output.text(),
  responseFormat: Output.object({ schema: jsonSchema(schema as JSONSchema7) }).responseFormat,
});
