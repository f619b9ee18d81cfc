"""Telling people in time: what is wrong (`causes`), in words (`text`), over which way (`channels`), once (`record`)."""
