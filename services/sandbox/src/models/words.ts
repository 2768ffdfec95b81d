export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
export const clip = (text: string, length: number) => (text.length <= length ? text : text.slice(0, length).replace(/\s+\S*$/, ''))
export const brand = (topic: string) => capital(topic.split(/\s+/).filter((word) => word.length > 3)[0] ?? 'Your business')
