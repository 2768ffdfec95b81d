const day = 86_400_000
const now = Date.now()
const contact = (
  id: string,
  name: string,
  company: string,
  email: string,
  temperature: 'hot' | 'warm' | 'cold',
  status: string,
  daysAgo: number,
) => ({
  id,
  name,
  company,
  email,
  phone: null,
  temperature,
  status,
  tags: [],
  last_activity_at: new Date(now - daysAgo * day).toISOString(),
})

/** Contacts that the CRM shows before the first one. Nobody here exists. */
export const sampleContacts = [
  contact('s1', 'Sarah Lindqvist', 'Northwind Studio', 'sarah@northwind.example', 'hot', 'qualified', 1),
  contact('s2', 'Michael Chen', 'Harbor Labs', 'michael@harborlabs.example', 'warm', 'contacted', 4),
  contact('s3', 'Emily Rossi', 'Rossi Interiors', 'emily@rossi.example', 'hot', 'new', 2),
  contact('s4', 'David Okafor', 'Okafor Logistics', 'david@okafor.example', 'cold', 'contacted', 31),
]
