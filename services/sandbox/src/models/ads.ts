import type { Question } from './answer.ts'
import { capital, clip } from './words.ts'

export type Ad = { primary_text: string; headline: string; description: string; targeting: string; format: string; tone: string }

export function adVariations(question: Question): Ad[] {
  const { topic } = question
  const given = adsIn(question.text)
  if (given)
    return given.map((each) => ({
      ...each,
      primary_text: clip(each.primary_text, 125),
      headline: clip(each.headline, 27),
      description: clip(each.description, 30),
    }))
  const tail = /overlong/i.test(question.all) ? ' with every detail that anyone could possibly want to know before they decide' : ''
  const product = clip(capital((topic.split(/[,;:]|\s[–-]\s/)[0] ?? topic).trim()), 44)
  const found = offerIn(question.text)
  const offer = found && !product.toLowerCase().includes(found.toLowerCase()) ? found : undefined
  const ad = (primary: string, headline: string, description: string, targeting: string, format: string, tone: string) => ({
    primary_text: tail ? primary + tail.repeat(2) : clip(primary, 125),
    headline: tail ? headline + tail : clip(headline, 27),
    description: tail ? description + tail : clip(description, 30),
    targeting,
    format,
    tone,
  })
  return [
    ad(
      `${product}, done this week instead of some day. ${offer ? `${capital(offer)}.` : 'A fixed price before we begin.'} Book in a minute.`,
      product,
      offer ? capital(offer) : 'Fixed price, no surprises',
      'Within 15 km, 25-55, interested in what you offer',
      'Single image',
      'Direct',
    ),
    ad(
      `“I wish I had called sooner.” ${product} by people who answer the phone and come when they say.`,
      'Neighbours recommend us',
      'Read what they say',
      'Lookalike of your last 500 customers, 25-60',
      'Carousel',
      'Warm',
    ),
    ad(
      `${offer ? `${capital(offer)}, then it is back to the usual price.` : 'Twenty places this month.'} ${product}: choose a time now, change it whenever you like.`,
      offer ? capital(offer) : 'Choose your time today',
      'Two clicks to a date',
      'Visitors of the last 30 days who did not book',
      'Short video',
      'Urgent',
    ),
  ]
}

const offerIn = (text: string) =>
  /\b(\d+ ?% off[^,.;\n]{0,20}|free [^,.;\n]{3,40}|from \$\d[^,.;\n]{0,14}|two for one[^,.;\n]{0,14})/i.exec(text)?.[1]?.trim()

/** Ads that the question carries, to be made shorter. */
function adsIn(text: string): Ad[] | undefined {
  const json = text.slice(text.search(/[[{]/), Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1)
  if (!json.includes('"primary_text"')) return undefined
  try {
    const parsed = JSON.parse(json) as Ad[] | Record<string, Ad[]>
    return Array.isArray(parsed) ? parsed : Object.values(parsed).find(Array.isArray)
  } catch {
    return undefined
  }
}

/** The same ads for a reader. */
export const adCopy = (question: Question) =>
  adVariations(question)
    .map(
      (ad, index) =>
        `**Variation ${index + 1} (${ad.tone.toLowerCase()})**\n\n- **Headline:** ${ad.headline}\n- **Primary text:** ${ad.primary_text}\n- **Description:** ${ad.description}\n- **Targeting:** ${ad.targeting}\n- **Format:** ${ad.format}`,
    )
    .join('\n\n')
