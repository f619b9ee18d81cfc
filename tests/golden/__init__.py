"""The golden micro-dataset of section 5 of the reports document: payloads and hand-transcribed figures."""
