import { imageFrom, nothingDrawn, type Place, refusalOf, sandboxHeaders, type Wire } from './wire.ts'

type Answer = {
  candidates?: { finishReason?: string; content?: { parts?: { inlineData?: { mimeType?: string; data?: string } }[] } }[]
  promptFeedback?: { blockReason?: string }
}

const ratios: [name: string, value: number][] = [
  ['1:1', 1],
  ['4:3', 4 / 3],
  ['3:4', 3 / 4],
  ['16:9', 16 / 9],
]
const ratioOf = (width: number, height: number) =>
  ratios.toSorted((a, b) => Math.abs(a[1] - width / height) - Math.abs(b[1] - width / height))[0]![0]

/** Gemini's `generateContent`: one answer, no previews, and ratios instead of sizes. */
export const googleWire = (place: Place): Wire => ({
  remembers: false,
  takesSeed: true,
  takesSource: true,
  takesMask: false,
  async draw(order, { signal }) {
    const source = order.sources.map((each) => ({ inlineData: { mimeType: 'image/png', data: Buffer.from(each).toString('base64') } }))
    const body = {
      contents: [{ role: 'user', parts: [...source, { text: order.prompt }] }],
      generationConfig: {
        responseModalities: ['IMAGE'],
        imageConfig: { aspectRatio: ratioOf(order.width, order.height) },
        ...(order.seed !== null && { seed: order.seed }),
      },
    }
    const response = await fetch(`${place.url}/models/${order.model}:generateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': place.key, ...sandboxHeaders(place, order.userId) },
      body: JSON.stringify(body),
      signal,
    })
    if (!response.ok) throw await refusalOf(response)
    const answer = (await response.json()) as Answer
    const [candidate] = answer.candidates ?? []
    const blocked =
      answer.promptFeedback?.blockReason ?? (/SAFETY|PROHIBITED|BLOCK/.test(candidate?.finishReason ?? '') ? candidate!.finishReason : null)
    if (blocked) throw await refusalOf({ status: 400, text: async () => `blocked: ${blocked}` })
    const part = candidate?.content?.parts?.find(({ inlineData }) => inlineData)
    if (!part) throw nothingDrawn(`no picture, finished with ${candidate?.finishReason}`)
    return { image: imageFrom(part.inlineData!.data), seed: order.seed, answeredBy: order.model }
  },
})
