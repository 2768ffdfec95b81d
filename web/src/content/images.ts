import type { ImageSize, ImageStyle } from '@operon/contracts/media/images'

export const imageTemplates: { name: string; prompt: string; style: ImageStyle; size: ImageSize }[] = [
  {
    name: 'Business Headshot',
    prompt: 'Professional business headshot of a confident founder in a navy blazer, soft studio light, neutral gray background',
    style: 'professional',
    size: '1024x1024',
  },
  {
    name: 'Logo Design',
    prompt: 'Minimal logo for a neighborhood bakery, one simple mark, two colors, plain background',
    style: 'artistic',
    size: '1024x1024',
  },
  {
    name: 'Social Media',
    prompt: 'Bright social media picture of a coffee cup on a wooden table by a window, room for text at the top',
    style: 'realistic',
    size: '1024x1024',
  },
  {
    name: 'Product Photo',
    prompt: 'Product photo of a green glass bottle on white stone, soft shadow, clean background',
    style: 'professional',
    size: '1024x768',
  },
]

/** The figures of the specification, until the account has made an image of its own. */
export const imageSamples = [
  { label: 'Images made', value: '234' },
  { label: 'This month', value: '89' },
  { label: 'Saved', value: '67' },
  { label: 'Seconds an image', value: '12.5' },
]
