import { alias } from './models.ts'

/** Models that make vectors of texts. A vector of one model means nothing to another, so none falls back. */
export const embedders = [
  alias('text-embedding-3-small', {
    name: 'Embedding 3 small',
    provider: 'openai',
    upstream: 'text-embedding-3-small',
    inputMicrousdPerMtok: 20_000,
    outputMicrousdPerMtok: 0,
    contextWindow: 8_192,
    abilities: ['embeddings'],
  }),
  alias('text-embedding-3-large', {
    name: 'Embedding 3 large',
    provider: 'openai',
    upstream: 'text-embedding-3-large',
    inputMicrousdPerMtok: 130_000,
    outputMicrousdPerMtok: 0,
    contextWindow: 8_192,
    abilities: ['embeddings'],
  }),
]
